import { randomUUID } from 'node:crypto';
import type { LocksContext } from '../../libs/zk-locks/src/grant/locks-context.js';
import { silentLogger } from '../../libs/zk-client/src/logger.js';
import type { LockMode } from '../../libs/zk-locks/src/lock/lock.js';
import { dialectOf, otherReaders, type QueueNode } from '../../libs/zk-locks/src/nodes/dialect.js';
import { fencingToken } from '../../libs/zk-locks/src/nodes/fencing-token.js';
import { atOnce } from '../../libs/zk-locks/src/slices.js';
import { Directories } from '../../libs/zk-locks/src/queue/directories.js';
import { KeyQueues } from '../../libs/zk-locks/src/queue/key-queues.js';
import { NodeRemover } from '../../libs/zk-client/src/certain/node-remover.js';
import type { NodeGrant } from '../../libs/zk-locks/src/grant/node-grant.js';
import { takeLock } from '../../libs/zk-locks/src/read-write/read-write-locks.js';
import { upgrade } from '../../libs/zk-locks/src/read-write/upgrade.js';
import type { Session } from '../../libs/zk-client/src/session/session.js';
import {
  type Call,
  type Foreign,
  DIRECTORY,
  isHeld,
  isReading,
  isWaiting,
  isWriting,
  newWait,
  requestOf,
} from './calls.js';
import type { ModelClient } from './model-requests.js';
import { ModelSession } from './model-session.js';

/**
 * The calls of this process for one key, a model of a server, and contenders of other processes.
 * Steps that are impossible in the present state are skipped.
 */
export class World {
  readonly server = new ModelSession(DIRECTORY);
  readonly calls: Call[] = [];
  readonly broken: string[] = [];
  grants = 0;
  upgrades = 0;
  /**
   * The holder in this process that may become a writer. Its intent node keeps others from that.
   */
  #ourUpgrader: NodeGrant | undefined;
  #upgrading: AbortController | undefined;
  #releasesWhenBlocked = false;
  #foreign: Foreign[] = [];
  /** The sequence number of the last reader that wanted to write. */
  #upgrader = -1;
  #latestWriter = 0n;
  /** Our nodes that another client has deleted: other processes may enter before we are told. */
  readonly #deletedByOthers = new Set<string>();
  wasRefused = false;
  readonly #dialect;
  readonly #session = this.server as unknown as Session;
  readonly #queues = new KeyQueues(this.#session);
  readonly #remover = new NodeRemover(
    this.#session,
    silentLogger,
    this.#queues,
    () => true,
    300_000,
  );
  readonly #directories = new Directories(this.#session, silentLogger, '/');

  readonly #context: LocksContext;

  constructor(
    private readonly hasReaders: boolean,
    client: ModelClient = 'wire',
  ) {
    this.server.client = client;
    this.#dialect = dialectOf(hasReaders ? 'curator-rw' : 'curator-mutex');
    this.#context = {
      session: this.#session,
      directories: this.#directories,
      remover: this.#remover,
      queues: this.#queues,
      dialect: this.#dialect,
      application: undefined,
    } as Partial<LocksContext> as LocksContext;
  }

  readonly steps: Record<string, (pick: number) => void> = {
    weAsk: (pick) => this.#ask(pick % 3 === 0 ? 'read' : 'write'),
    weAskForReading: () => this.#ask('read'),
    weGiveUp: (pick) => this.#pick(this.calls.filter(isWaiting), pick)?.stop.abort(),
    weRelease: (pick) => void this.#pick(this.#held, pick)?.holding?.release(),
    weReleaseOthersOnLoss: (pick) => {
      const { signal } = this.#pick(this.#held, pick)?.holding ?? {};
      signal?.addEventListener('abort', () => this.#releaseAll(), { once: true });
    },
    weReleaseWhenBlocked: (pick) => {
      this.#releasesWhenBlocked = pick % 2 === 0;
    },
    weDowngrade: (pick) => {
      if (!this.hasReaders) return;
      const { holding } = this.#pick(this.#held.filter(isWriting), pick) ?? {};
      if (!holding) return;
      holding.share('read');
      void holding.unshare('write');
    },
    weUpgrade: (pick) => void this.#upgrade(this.#pick(this.#held.filter(isReading), pick)),
    weGiveUpUpgrade: () => this.#upgrading?.abort(),
    weReleaseAnother: (pick) => {
      const others = this.#held.filter(({ holding }) => holding !== this.#ourUpgrader);
      void this.#pick(others, pick)?.holding?.release();
    },
    weTryToRead: () => this.#ask('read', 0),
    weTryToWrite: () => this.#ask('write', 0),
    listIsThrottled: (pick) => {
      if (pick < 5) this.server.throttled++;
    },
    othersQueueUp: (pick) => this.#enter(pick % 3 === 0 ? 'read' : 'write', pick % 2 === 0),
    othersLeave: (pick) => this.#leave(this.#pick(this.#foreign, pick)),
    holderLeaves: () => this.#leave(this.#foreign.find(({ holds }) => holds)),
    othersDowngrade: (pick) => {
      const writers = this.#foreign.filter(({ mode, holds }) => mode === 'write' && holds);
      const writer = this.hasReaders ? this.#pick(writers, pick) : undefined;
      if (!writer || this.#twinOf(writer)) return;
      const { sequence, hasHolderData, name } = writer.node;
      const reader = this.#add('read', hasHolderData, sequence);
      Object.assign(reader, { holds: true, hasWritten: true });
      // Other libraries do not announce a downgrade by a write.
      if (hasHolderData) this.server.write(name);
      else this.#delete(writer);
    },
    downgradeIsDone: () => {
      const written = this.#foreign.find(({ node }) => node.writtenAt !== undefined);
      if (written) this.#delete(written);
    },
    othersTryToUpgrade: (pick) => {
      if (!this.hasReaders || this.#foreign.some(({ isAttempt }) => isAttempt)) return;
      if (isHeld(this.#ourUpgrader)) return;
      const reader = this.#pick(
        this.#foreign.filter(
          ({ mode, holds, hasWritten }) => mode === 'read' && holds && !hasWritten,
        ),
        pick,
      );
      if (!reader || this.#twinOf(reader) || reader.node.sequence < this.#upgrader) return;
      const { sequence, hasHolderData } = reader.node;
      this.#upgrader = sequence;
      this.#add('write', hasHolderData, sequence).isAttempt = true;
    },
    upgradeIsDecided: () => {
      const attempt = this.#foreign.find(({ isAttempt }) => isAttempt);
      if (!attempt) return;
      const reader = this.#twinOf(attempt);
      const others = otherReaders(this.#order, attempt.node.sequence);
      if (!reader || others.length > 0) this.#delete(attempt);
      else Object.assign(attempt, { isAttempt: false, holds: true });
    },
    operatorDeletes: (pick) => {
      const name = this.#pick(
        this.server.nodes.filter(({ isOurs }) => isOurs),
        pick,
      )?.name;
      if (name === undefined || pick > 4) return;
      this.#deletedByOthers.add(name);
      this.server.remove(name);
    },
    serverExecutes: (pick) => this.server.execute(pick),
    weHear: (pick) => this.server.hear(pick),
    allIsAnswered: () => this.#answerAll(),
    connectionIsLost: (pick) => {
      if (pick < 6) this.server.disconnect(pick);
    },
    connectionIsBack: (pick) => this.server.reconnect({ lags: pick % 3 === 0 }),
    serverCatchesUp: () => this.server.catchUp(),
    leaseEnds: (pick) => {
      if (pick > 3) return;
      // The answers have arrived, but their callers have not seen them yet.
      this.server.hear(pick);
      this.server.endLease();
    },
    lateRequestIsExecuted: () => this.server.executeLate(),
    deletionIsRefused: (pick) => {
      if (pick > 2) return;
      this.server.refusals++;
      this.wasRefused = true;
    },
    directoryIsReaped: () => this.server.reap(),
    weStall: () => {
      this.server.hasStalled = true;
    },
  };

  /** Checks the promises: compares the server's state with what our holders believe. */
  check(): void {
    this.#letInOthers();
    const ours = this.#held.filter(({ holding }) => !this.#isDeletedByOthers(holding));
    const modes = [
      ...ours.map(({ holding }) => holding?.mode ?? 'write'),
      ...this.#foreign.filter(({ holds }) => holds).map(({ mode }) => mode),
    ];
    // A reader that became a writer without queueing again has two nodes.
    const twins = this.#foreign.filter((one) => one.holds && this.#twinOf(one)?.holds);
    const count = modes.length - twins.length / 2;
    if (count > 1 && modes.includes('write')) this.broken.push(`${modes.join(', ')} hold together`);
  }

  /** Checks that all our waiting calls are served once no other process wants the lock. */
  async rest(turn: () => Promise<void>): Promise<void> {
    this.server.refusals = 0;
    this.server.reconnect();
    this.server.catchUp();
    for (let round = 0; round < 400 && !this.#isAtRest; round++) {
      for (const one of [...this.#foreign]) this.#delete(one);
      this.#answerAll();
      await turn();
      this.check();
      // Lost grants are also released, as `withLock` does.
      for (const { holding } of this.calls) void holding?.release();
      this.server.executeLate();
    }
    const waiting = this.calls.filter(isWaiting).length;
    if (waiting > 0) this.broken.push(`${waiting} calls wait without a holder`);
    const left = this.server.nodes.filter(({ isOurs }) => isOurs);
    if (left.length > 0) this.broken.push(`${left.map(({ name }) => name).join()} left`);
    const { watchedPaths } = this.server;
    if (watchedPaths > 0) this.broken.push(`${watchedPaths} paths are still listened on`);
    const failed = this.calls.find(
      ({ error, stop }) => error !== undefined && !stop.signal.aborted,
    );
    if (failed) this.broken.push(`a call failed: ${String(failed.error)}`);
  }

  stop(): void {
    for (const { stop } of this.calls) stop.abort();
    this.#upgrading?.abort();
    this.#remover.stop();
    this.server.giveUp();
  }

  get #isAtRest(): boolean {
    const isBusy = this.calls.some(isWaiting) || this.#held.length > 0 || this.server.underway > 0;
    return !isBusy && this.server.nodes.length === 0;
  }

  get #held(): Call[] {
    return this.calls.filter(({ holding }) => holding && !holding.isReleased && !holding.loss);
  }

  get #order(): QueueNode[] {
    const nodes = this.server.nodes.map(({ name }) => name);
    return atOnce(this.#dialect.parse(DIRECTORY, nodes));
  }

  /** Releases all locks in the middle of the queue's work, as a listener of the application may. */
  #releaseAll(): void {
    for (const { holding } of this.#held) void holding?.release();
  }

  #ask(wanted: LockMode, timeoutMs = Infinity): void {
    const mode = this.hasReaders ? wanted : 'write';
    const stop = new AbortController();
    const call: Call = { mode, stop, holding: undefined, error: undefined };
    this.calls.push(call);
    const wait = newWait(stop, timeoutMs, () => {
      if (this.#releasesWhenBlocked) this.#releaseAll();
    });
    takeLock(requestOf(mode, timeoutMs), wait, this.#context)
      .finally(() => wait[Symbol.dispose]())
      .then(
        (holding) => this.#granted(call, holding),
        (error: unknown) => {
          call.error = error;
          // A call that does not wait may fail.
          if (timeoutMs === 0) stop.abort();
        },
      );
  }

  async #upgrade(call: Call | undefined): Promise<void> {
    const holding = call?.holding;
    if (!holding || this.#upgrading || !this.#mayUpgrade(call, holding)) return;
    this.#upgrader = holding.sequence;
    this.#ourUpgrader = holding;
    const stop = (this.#upgrading = new AbortController());
    holding.listen({ onGrantEnd: () => stop.abort() });
    try {
      const isWriter = await upgrade(
        holding,
        requestOf('write', Infinity),
        newWait(stop, Infinity),
        this.#context,
      );
      if (!isWriter) return;
      this.upgrades++;
      this.check();
    } catch (error) {
      if (!stop.signal.aborted) this.broken.push(`an upgrade failed: ${String(error)}`);
    } finally {
      this.#upgrading = undefined;
    }
  }

  /** Whether this lock may upgrade: one at a time, and in the order of the queue. */
  #mayUpgrade({ mode }: Call, holding: NodeGrant): boolean {
    if (mode !== 'read') return false;
    if (this.#foreign.some((one) => one.isAttempt || one.hasWritten || this.#twinOf(one)))
      return false;
    if (holding === this.#ourUpgrader) return true;
    return !isHeld(this.#ourUpgrader) && holding.sequence > this.#upgrader;
  }

  #granted(call: Call, holding: NodeGrant): void {
    this.grants++;
    holding.share(call.mode);
    const others = this.#held.filter(({ holding: { mode } = { mode: 'write' } }) =>
      [mode, call.mode].includes('write'),
    );
    call.holding = holding;
    if (holding.loss) return;
    if (others.length > 0) this.broken.push('two of ours, one of whom writes');
    if (call.mode === 'write' && !this.#isDeletedByOthers(holding))
      this.#note(holding.fencingToken);
    this.check();
  }

  #note(token: bigint): void {
    if (token <= this.#latestWriter) this.broken.push(`token ${token} after ${this.#latestWriter}`);
    this.#latestWriter = token;
  }

  #answerAll(): void {
    this.server.execute(Infinity);
    this.server.hear(Infinity);
  }

  /** A holder may have two nodes with the same number. */
  #isDeletedByOthers(holding: NodeGrant | undefined): boolean {
    const number = holding?.nodeName.slice(-10);
    return [...this.#deletedByOthers].some((name) => name.slice(-10) === number);
  }

  #enter(wanted: LockMode, hasHolderData: boolean): void {
    this.server.makeDirectory();
    this.#add(this.hasReaders ? wanted : 'write', hasHolderData);
  }

  /** @param sequence the sequence number, if the node takes the place of another one */
  #add(mode: LockMode, hasHolderData: boolean, sequence?: number): Foreign {
    const prefix = this.#dialect.nodePrefix[mode](randomUUID());
    const name = sequence === undefined ? prefix : prefix + String(sequence).padStart(10, '0');
    const node = this.server.add(name, false, { sequence, hasHolderData });
    const added = { node, mode, holds: false, isAttempt: false, hasWritten: false };
    this.#foreign.push(added);
    return added;
  }

  #leave(leaver: Foreign | undefined): void {
    if (!leaver) return;
    const twin = this.#twinOf(leaver);
    // A reader that writes, or wants to, has two nodes, which are deleted one after the other.
    this.#delete(leaver);
    if (twin) this.#delete(twin);
  }

  #delete(gone: Foreign): void {
    this.#foreign = this.#foreign.filter((one) => one !== gone);
    this.server.remove(gone.node.name);
  }

  #twinOf({ node }: Foreign): Foreign | undefined {
    return this.#foreign.find(
      (one) => one.node.sequence === node.sequence && one.node.name !== node.name,
    );
  }

  #letInOthers(): void {
    const order = this.#order;
    for (const one of this.#foreign) {
      if (one.holds || one.isAttempt) continue;
      const ahead = order.slice(
        0,
        order.findIndex(({ name }) => name === one.node.name),
      );
      const blocker = ahead.find(
        ({ mode, sequence }) =>
          sequence !== one.node.sequence && (one.mode === 'write' || mode === 'write'),
      );
      if (blocker) continue;
      one.holds = true;
      if (one.mode === 'write') this.#note(fencingToken(one.node.czxid));
    }
  }

  #pick<T>(from: readonly T[], pick: number): T | undefined {
    return from[pick % Math.max(from.length, 1)];
  }
}
