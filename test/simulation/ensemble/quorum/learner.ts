import type { Service } from '../clients/service.js';
import type { Entry, Request } from '../log/entry.js';
import { endedBy, Executor } from '../log/executor.js';
import type { Replica } from '../log/replica.js';
import { ApplyQueue } from './apply-queue.js';
import type { Link } from './link.js';
import type { ToLearner } from './messages.js';
import { ObserverMaster } from './observer-master.js';
import type { Peer } from '../peer.js';

/** A server that is in sync with its leader: a follower or an observer. */
export class Learner implements Service {
  readonly replica: Replica;
  /** The last zxid that this server knows to be committed. */
  lastCommitted: number;
  #touched = new Map<bigint, number>();
  /** Proposals that are not committed yet. */
  #pending: Entry[] = [];
  #syncs: (() => void)[] = [];
  readonly #revalidations = new Map<bigint, (isValid: boolean) => void>();
  readonly #queue: ApplyQueue;
  readonly #executor: Executor;
  readonly #observers: ObserverMaster | undefined;

  constructor(
    private readonly peer: Peer,
    private readonly link: Link,
    readonly name: 'follower' | 'observer',
    epoch: number,
  ) {
    const { process, options, disk, clients, replica, ensemble } = peer;
    this.replica = replica;
    this.lastCommitted = replica.lastZxid;
    this.#queue = new ApplyQueue(process, options.lag);
    this.#executor = new Executor(replica, disk, clients);
    if (name === 'follower' && ensemble.observers === 'of a follower') {
      this.#observers = new ObserverMaster(peer, this, epoch);
    }
  }

  stop(): void {
    this.#queue.stop();
    this.#observers?.stop();
  }

  touch(sessionId: bigint, timeoutMs: number): boolean {
    this.#touched.set(sessionId, timeoutMs);
    return true;
  }

  /** A follower does not know whether a session lives. */
  check(): undefined {
    return undefined;
  }

  submit(request: Request): void {
    this.link.send({ kind: 'request', request });
  }

  sync(done: () => void): void {
    this.#syncs.push(() => this.#queue.push(done));
    this.link.send({ kind: 'sync' });
  }

  /** Syncs for an observer, which executes entries at its own pace. */
  syncFor(done: () => void): void {
    this.#syncs.push(done);
    this.link.send({ kind: 'sync' });
  }

  revalidate(sessionId: bigint, timeoutMs: number, done: (isValid: boolean) => void): void {
    this.#revalidations.set(sessionId, done);
    this.askForSession(sessionId, timeoutMs);
  }

  askForSession(sessionId: bigint, timeoutMs: number): void {
    this.link.send({ kind: 'revalidate', sessionId, timeoutMs });
  }

  receive(message: ToLearner): void {
    switch (message.kind) {
      case 'propose':
        return this.propose(message.entry);
      case 'commit':
        return this.commit(message.zxid);
      case 'inform':
        this.peer.disk.log.append(message.entry);
        return this.#apply(message.entry);
      case 'ping': {
        const sessions = this.#touched;
        if (sessions.size > 0) this.#touched = new Map();
        return this.link.send({ kind: 'touched', sessions });
      }
      case 'synced':
        return this.#syncs.shift()?.();
      case 'revalidated': {
        const { sessionId, isValid } = message;
        if (this.#observers?.takeRevalidated(sessionId, isValid) === true) return;
        const done = this.#revalidations.get(sessionId);
        this.#revalidations.delete(sessionId);
        return done?.(isValid);
      }
      default:
        // Such messages belong to the synchronization, which is over.
        return;
    }
  }

  propose(entry: Entry): void {
    this.#pending.push(entry);
    this.peer.disk.log.append(entry);
    if (this.name === 'follower') this.link.send({ kind: 'ack', zxid: entry.zxid });
  }

  commit(zxid: number): void {
    const entry = this.#pending.shift();
    if (entry?.zxid !== zxid) throw new Error('a commit came out of order');
    this.#apply(entry);
    this.#observers?.inform(entry);
  }

  #apply(entry: Entry): void {
    this.lastCommitted = entry.zxid;
    this.#queue.push(() => this.#execute(entry));
  }

  #execute(entry: Entry): void {
    const { request } = entry;
    // Like ZooKeeper, every server counts a new session as heard.
    if (request.kind === 'open') this.#touched.set(request.sessionId, request.timeoutMs);
    const ended = endedBy(request);
    if (ended !== undefined) this.#touched.delete(ended);
    this.#executor.execute(entry);
  }
}
