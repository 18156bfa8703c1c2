import { type ErrorCode, OpCode } from 'zk-protocol';
import type { Service } from '../clients/service.js';
import type { Entry, Request } from '../log/entry.js';
import { endedBy, Executor } from '../log/executor.js';
import type { Log } from '../log/log.js';
import type { Replica } from '../log/replica.js';
import { Expirer } from '../sessions/expirer.js';
import { SessionTracker } from '../sessions/session-tracker.js';
import { ContainerReaper } from './containers.js';
import { majorityOf } from '../options.js';
import type { Peer } from '../peer.js';
import { Proposals } from './proposals.js';

/** The servers that receive the leader's proposals and commits. */
export interface Learners {
  propose(entry: Entry): void;
  commit(entry: Entry): void;
}

/** The owner of sessions whose clients are connected to the leader. */
const ITSELF = 'the leader itself';

/** The leader of an epoch with a majority in sync, or a server without an ensemble. */
export class Leader implements Service {
  readonly name: Service['name'];
  readonly replica: Replica;
  readonly tracker: SessionTracker;
  lastCommitted: number;
  #lastProposed: number;
  #isCommitting = false;
  readonly #proposals: Proposals;
  readonly #executor: Executor;
  readonly #expirer: Expirer;
  readonly #reaper: ContainerReaper;

  /** @param learners undefined for a server without an ensemble */
  constructor(
    private readonly peer: Peer,
    private readonly learners: Learners | undefined,
    lastZxid: number,
    private readonly onCommit: (entry: Entry) => void,
  ) {
    const { process, options, ensemble, disk, clients, replica } = peer;
    this.name = learners ? 'leader' : 'standalone';
    this.replica = replica;
    this.lastCommitted = this.#lastProposed = lastZxid;
    this.tracker = new SessionTracker(options.tickTimeMs, () => Math.floor(process.monotonic()));
    for (const { id, createdTimeoutMs } of replica.database.sessions) {
      this.tracker.track(id, createdTimeoutMs);
    }
    this.#proposals = new Proposals(majorityOf(ensemble));
    this.#executor = new Executor(replica, disk, clients);
    this.#expirer = new Expirer(process, this.tracker, (id) => this.expire(id));
    this.#reaper = new ContainerReaper(process, ensemble.containerCheckMs, replica, (path) =>
      this.submit({ kind: 'reap', path }),
    );
  }

  get log(): Log {
    return this.peer.disk.log;
  }

  /** The entries that have been proposed but not committed. */
  get outstanding(): readonly Entry[] {
    return this.#proposals.entries();
  }

  /** Whether an entry of this session has been proposed but not committed. */
  isWriting(sessionId: bigint): boolean {
    return this.outstanding.some(
      ({ request }) => 'sessionId' in request && request.sessionId === sessionId,
    );
  }

  stop(): void {
    this.#expirer.stop();
    this.#reaper.stop();
  }

  touch(sessionId: bigint, timeoutMs: number): boolean {
    return this.tracker.touch(sessionId, timeoutMs);
  }

  check(sessionId: bigint): ErrorCode | undefined {
    return this.tracker.check(sessionId, ITSELF);
  }

  submit(request: Request): void {
    this.propose(request, request.kind === 'open' ? undefined : ITSELF);
  }

  sync(done: () => void): void {
    done();
  }

  revalidate(sessionId: bigint, timeoutMs: number, done: (isValid: boolean) => void): void {
    done(this.claim(sessionId, timeoutMs, ITSELF));
  }

  /** Moves a session to the server to which its client has connected. */
  claim(sessionId: bigint, timeoutMs: number, owner: unknown): boolean {
    if (!this.tracker.touch(sessionId, timeoutMs)) return false;
    this.tracker.setOwner(sessionId, owner);
    return true;
  }

  /** Ends a session, even if its client was heard recently. */
  expire(sessionId: bigint): void {
    this.submit({ kind: 'end', sessionId });
  }

  /** Calls back after all present proposals have been committed. */
  afterCommits(run: () => void): void {
    const { last } = this.#proposals;
    if (last) last.syncs.push(run);
    else run();
  }

  propose(request: Request, owner: unknown): void {
    const refusal = this.#prepare(request, owner);
    const { process } = this.peer;
    const { now: at } = process.world;
    const entry: Entry = { zxid: ++this.#lastProposed, time: process.wall(), at, request, refusal };
    this.#proposals.add(entry);
    this.learners?.propose(entry);
    this.log.append(entry);
    this.acknowledge(this.peer.id, entry.zxid);
  }

  acknowledge(serverId: number, zxid: number): void {
    this.#proposals.acknowledge(serverId, zxid);
    if (this.#isCommitting) return;
    this.#isCommitting = true;
    for (let next = this.#proposals.takeCommitted(); next; next = this.#proposals.takeCommitted()) {
      this.#commit(next.entry);
      for (const run of next.syncs) run();
    }
    this.#isCommitting = false;
  }

  /** Does the work of ZooKeeper's first request processor. A refused request also has a zxid. */
  #prepare(request: Request, owner: unknown): ErrorCode | undefined {
    const { tracker } = this;
    switch (request.kind) {
      case 'open':
        tracker.track(request.sessionId, request.timeoutMs);
        tracker.setOwner(request.sessionId, owner);
        return undefined;
      case 'end':
        tracker.setClosing(request.sessionId);
        return undefined;
      case 'write':
        if (request.received.type !== OpCode.closeSession)
          return tracker.check(request.sessionId, owner);
        tracker.setClosing(request.sessionId);
        return undefined;
      case 'reap':
        return undefined;
    }
  }

  #commit(entry: Entry): void {
    this.lastCommitted = entry.zxid;
    this.learners?.commit(entry);
    this.onCommit(entry);
    const ended = endedBy(entry.request);
    if (ended !== undefined) this.tracker.remove(ended);
    this.#executor.execute(entry);
  }
}
