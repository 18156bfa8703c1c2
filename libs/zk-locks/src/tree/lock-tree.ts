import { hasReturnCode, ReturnCode } from '../client/client-errors.js';
import { isWithin, join } from '../client/node-path.js';
import type { LastingEvent, NodeContent } from '../client/zookeeper-client.js';
import { isKeyDirectory } from '../key-path.js';
import { callAll } from '../listeners.js';
import { type Deadlock, LockAccessError, LockServiceClosedError } from '../lock-errors.js';
import { silentLogger, type ZkLockLogger } from '../logger.js';
import { type LocksOptions, resolveLocksOptions } from '../options/locks-options.js';
import { unavailableError, Wait } from '../queue/wait.js';
import { parseRunRecord } from '../runs/run-record.js';
import { type LastRun, toLastRun } from '../runs/runs.js';
import { Session } from '../session/session.js';
import type { SessionLease } from '../session/session-lease.js';
import type { LockSession } from '../session/session-state.js';
import { retryUntilAnswered, SessionOverError } from '../session/session-requests.js';
import { deadlocksIn } from './tree-deadlocks.js';
import { describeKey, type Folder, type KeyContent, type TreeKey } from './tree-key.js';
import { TreeReader } from './tree-reader.js';

/** The most keys that are read at a time: each may have many nodes. */
const AT_ONCE = 1_000;

/** Under constant changes, a snapshot is still given out. */
const MOST_PASSES = 3;

/** Servers before 3.6 have no watch for a whole tree. */
const POLL_MS = 2_000;

const FAREWELL_MS = 1_000;

interface SeenKey {
  readonly content: KeyContent | undefined;
  readonly described: TreeKey;
}

/** What is to be read. */
interface Dirt {
  /** Whatever there is. */
  everything: boolean;
  /** Keys, by the names of their directories. */
  readonly keys: Set<string>;
  /** Keys whose job has run. */
  readonly runs: Set<string>;
  /** Nodes whose data may have changed. */
  readonly nodes: Set<string>;
}

const newDirt = (everything = false): Dirt => ({
  everything,
  keys: new Set(),
  runs: new Set(),
  nodes: new Set(),
});

/**
 * All keys below the root with all who hold them and wait for them, over a session of its own, with the
 * client `wire`. Writes nothing. One watch for the whole tree tells what has changed, and only that is
 * read again.
 *
 * @example
 * ```ts
 * const tree = await LockTree.open({ servers: 'localhost:2181' });
 * const stop = tree.onChange(async () => show(await tree.read()));
 * await tree.close();
 * ```
 */
export class LockTree {
  readonly #session: Session;
  readonly #root: string;
  readonly #connectTimeoutMs: number;
  readonly #closing = new AbortController();
  readonly #listeners = new Set<() => void>();
  readonly #seen = new Map<string, SeenKey>();
  readonly #runs = new Map<string, LastRun>();
  #dirt = newDirt(true);
  #isTold = false;
  /** Whether this connection has the watch. */
  #isWatching = false;
  #poll: NodeJS.Timeout | undefined;
  #reading: Promise<ReadonlyMap<string, TreeKey>> | undefined;
  /** How far the clock of ZooKeeper is at least ahead of `performance.now()`. */
  #clockOffset = -Infinity;

  /**
   * Checks the options, those of the locks. Call {@link start} to connect.
   *
   * @throws {ZkLockConfigError}
   */
  constructor(options: LocksOptions, logger: ZkLockLogger = silentLogger) {
    const resolved = resolveLocksOptions({ ...options, client: 'wire' });
    this.#root = resolved.root;
    this.#connectTimeoutMs = resolved.connectTimeoutMs;
    // It creates nothing.
    const own = { isInUse: () => false, restrictsNodes: false };
    this.#session = new Session({ ...resolved, ...own }, logger);
  }

  /**
   * Connects, and reads all for the first time.
   *
   * @throws {ZooKeeperUnavailableError} {@link LockAccessError} {@link ZkLockConfigError}
   */
  static async open(options: LocksOptions, logger?: ZkLockLogger): Promise<LockTree> {
    const tree = new LockTree(options, logger);
    tree.start();
    try {
      await tree.read();
      return tree;
    } catch (error) {
      await tree.close();
      throw error;
    }
  }

  /** Begins to connect, and goes on until {@link close}. */
  start(): void {
    this.#session.setLastingListener({
      onEvent: (path, event) => this.#onEvent(path, event),
    });
    this.#session.start();
    this.#session.onState(({ name }) => {
      if (name !== 'connected') return;
      // What was missed meanwhile is not told.
      this.#isWatching = false;
      this.#dirt.everything = true;
      this.#tell();
    });
  }

  get session(): LockSession {
    return this.#session;
  }

  /** Why there is no connection, for messages; undefined while there is one, or nothing has failed. */
  get connectProblem(): string | undefined {
    return this.#session.connectProblem;
  }

  /** With the chroot. */
  get root(): string {
    return this.#root;
  }

  /**
   * The time by the clock of ZooKeeper, in milliseconds since 1970: that of this process, unless a node
   * was seen that is younger.
   */
  now(): number {
    return Math.max(Date.now(), Math.round(this.#clockOffset + performance.now()));
  }

  /**
   * Calls back once something has changed since the latest {@link read} began; not again before the
   * next one.
   *
   * @returns what stops it
   */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * All keys, in no order; reads what has changed since the last time. What has not changed is the same
   * object.
   *
   * @throws {ZooKeeperUnavailableError} without an answer within `connectTimeoutMs`
   * @throws {LockAccessError} where an ACL hides the root
   * @throws {LockServiceClosedError}
   */
  read(): Promise<ReadonlyMap<string, TreeKey>> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
      if (this.#isDirty) this.#tell();
    });
    return this.#reading;
  }

  /**
   * Calls that wait for each other in a circle, ten circles at most, as {@link read} has seen them last.
   * Waiters that say nothing of what they hold are not among them.
   */
  deadlocks(): Deadlock[] {
    const queues: [string, Folder][] = [];
    for (const [segment, { content }] of this.#seen) {
      const isCurrent = !this.#dirt.everything && !this.#dirt.keys.has(segment);
      if (content?.kind === 'lock' && isCurrent) queues.push([segment, content.queue]);
    }
    return deadlocksIn(queues);
  }

  /** Ends the session. Idempotent. */
  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    clearInterval(this.#poll);
    this.#listeners.clear();
    await this.#session.close({ timeoutMs: FAREWELL_MS });
  }

  get #isDirty(): boolean {
    const { everything, keys, runs } = this.#dirt;
    return everything || keys.size > 0 || runs.size > 0;
  }

  async #read(): Promise<ReadonlyMap<string, TreeKey>> {
    const session = this.#session;
    const timeoutMs = this.#connectTimeoutMs;
    using wait = new Wait({
      ...{ timeoutMs, answerWithinMs: timeoutMs, signal: this.#closing.signal },
      onTimeout: () =>
        unavailableError(
          session,
          `did not show ${this.#root} within ${timeoutMs} ms`,
          'Check that the servers run and can be reached.',
        ),
      onAbort: () => new LockServiceClosedError(),
    });
    for (let pass = 0; pass === 0 || (this.#isDirty && pass < MOST_PASSES);) {
      const lease = await session.whenConnected(wait.signal);
      try {
        await wait.for(retryUntilAnswered(session, lease, () => this.#pass(lease)));
        pass++;
      } catch (error) {
        if (hasReturnCode(error, ReturnCode.noAuth)) {
          throw new LockAccessError(this.#root, { ...session.access.identity, cause: error });
        }
        if (!(error instanceof SessionOverError)) throw error;
      }
    }
    return this.#keys();
  }

  /** Reads what there is to be read now. What changes from now on is for the next pass. */
  async #pass(lease: SessionLease): Promise<void> {
    await this.#watch(lease);
    const dirt = this.#dirt;
    this.#dirt = newDirt();
    this.#isTold = false;
    try {
      const noteTime = (content: NodeContent): void => this.#noteTime(content);
      const reader = new TreeReader(this.#session, lease, dirt.nodes, noteTime);
      if (dirt.everything) await this.#findAll(reader, dirt);
      const changed = [...new Set([...dirt.keys, ...dirt.runs])];
      for (let from = 0; from < changed.length; from += AT_ONCE) {
        const some = changed.slice(from, from + AT_ONCE);
        await Promise.all(some.map((segment) => this.#readKey(reader, dirt, segment)));
      }
    } catch (error) {
      // What was seen and what was not is not told apart.
      this.#dirt.everything = true;
      throw error;
    }
  }

  async #findAll(reader: TreeReader, dirt: Dirt): Promise<void> {
    const [segments, runs] = await Promise.all([
      reader.names(this.#root),
      reader.names(this.#runsRoot),
    ]);
    for (const segment of [...segments, ...this.#seen.keys()]) dirt.keys.add(segment);
    for (const segment of [...runs, ...this.#runs.keys()]) dirt.runs.add(segment);
  }

  async #readKey(reader: TreeReader, dirt: Dirt, segment: string): Promise<void> {
    const known = this.#seen.get(segment);
    const path = join(this.#root, segment);
    const [content, lastRun] = await Promise.all([
      dirt.keys.has(segment) ? this.#readContent(reader, dirt, path, known) : known?.content,
      dirt.runs.has(segment) ? this.#readRun(reader, segment) : this.#runs.get(segment),
    ]);
    if (lastRun) this.#runs.set(segment, lastRun);
    else this.#runs.delete(segment);
    if (!content && !lastRun) this.#seen.delete(segment);
    else {
      const described = describeKey({ segment, path }, content, lastRun);
      this.#seen.set(segment, { content, described });
    }
  }

  /** After a gap, an unchanging name may stand for another node than before. */
  #readContent(
    reader: TreeReader,
    dirt: Dirt,
    path: string,
    known: SeenKey | undefined,
  ): Promise<KeyContent | undefined> {
    return reader.key(path, dirt.everything ? undefined : known?.content);
  }

  async #readRun(reader: TreeReader, segment: string): Promise<LastRun | undefined> {
    const content = await reader.content(join(this.#runsRoot, segment));
    const record = content && parseRunRecord(content.data);
    return record && toLastRun(record);
  }

  get #runsRoot(): string {
    return `${this.#root}-runs`;
  }

  async #watch(lease: SessionLease): Promise<void> {
    if (this.#isWatching || this.#poll) return;
    this.#isWatching = true;
    const watch = (path: string): Promise<void> =>
      this.#session.read(lease, 'addWatch', path, async (client) => {
        await client.addWatch?.(path, { recursive: true });
      });
    try {
      await Promise.all([this.#root, this.#runsRoot].map(watch));
    } catch (error) {
      this.#isWatching = false;
      if (!hasReturnCode(error, ReturnCode.unimplemented)) throw error;
      this.#poll ??= setInterval(() => {
        this.#dirt.everything = true;
        this.#tell();
      }, POLL_MS);
    }
  }

  #onEvent(path: string, event: LastingEvent): void {
    if (event === 'children') return;
    const dirt = this.#dirt;
    if (path === this.#root || path === this.#runsRoot) dirt.everything = true;
    else if (isWithin(path, this.#root)) {
      const [segment = ''] = path.slice(this.#root.length + 1).split('/');
      dirt.keys.add(segment);
      dirt.nodes.add(path);
    } else if (isWithin(path, this.#runsRoot)) {
      dirt.runs.add(path.slice(this.#runsRoot.length + 1));
    }
    this.#tell();
  }

  #tell(): void {
    if (this.#isTold || this.#closing.signal.aborted) return;
    this.#isTold = true;
    callAll([...this.#listeners]);
  }

  #noteTime({ stat }: NodeContent): void {
    const latest = Math.max(stat.ctime.getTime(), stat.mtime.getTime());
    this.#clockOffset = Math.max(this.#clockOffset, latest - performance.now());
  }

  #keys(): ReadonlyMap<string, TreeKey> {
    const keys = new Map<string, TreeKey>();
    for (const [segment, { described }] of this.#seen) {
      if (isKeyDirectory(segment)) keys.set(described.key, described);
    }
    return keys;
  }
}
