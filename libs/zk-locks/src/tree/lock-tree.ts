import { hasLockNodes, isKeyDirectory } from '../lock/key-path.js';
import type { DeadlockReport } from '../inspection/deadlocks.js';
import { LockAccessError } from '../lock/lock-errors.js';
import {
  askOnAnySession,
  callAll,
  hasReturnCode,
  join,
  type LastingEvent,
  type LockSession,
  type NodeStat,
  retryUntilAnswered,
  ReturnCode,
  Session,
  type SessionLease,
  silentLogger,
  unavailableError,
  Wait,
  ZkClosedError,
  type ZkLockLogger,
} from 'zk-client/recipes';
import { type LocksOptions, resolveLocksOptions } from '../options/locks-options.js';
import type { DialectName } from '../nodes/dialect.js';
import { parseRunRecord } from '../runs/run-record.js';
import { type LastRun, toLastRun } from '../runs/runs.js';
import { inSlices } from '../slices.js';
import { Dirt } from './dirt.js';
import { deadlocksIn } from './tree-deadlocks.js';
import {
  describeKey,
  type Folder,
  type KeyContent,
  type TreeKey,
  type TreeSight,
} from './tree-key.js';
import { bytesOf, Room, TreeReader, withoutGone } from './tree-reader.js';

/** The most directories that are listed together: each may have many children. */
const LISTS_AT_ONCE = 200;

/** The most nodes that are read together. */
const NODES_AT_ONCE = 1_000;

/** The most keys that are known. */
const MOST_KEYS = 100_000;

/** The most that is kept of all of them, in bytes. */
const MOST_BYTES = 128 * 1_048_576;

/** Under constant changes, a snapshot is still given out. */
const MOST_PASSES = 3;

/** Servers before 3.6 have no watch for a whole tree. */
const POLL_MS = 2_000;

const FAREWELL_MS = 1_000;

interface SeenKey {
  readonly content: KeyContent | undefined;
  readonly described: TreeKey;
}

/**
 * All keys below the root with all who hold them and wait for them, over a session of its own, with the
 * client `wire`. Writes nothing. One watch for the whole tree tells what has changed, and only that is
 * read again. What strangers store there fills no more than a part of the memory, and the event loop goes
 * on while it is read.
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
  readonly #dialect: DialectName;
  readonly #connectTimeoutMs: number;
  readonly #closing = new AbortController();
  readonly #listeners = new Set<() => void>();
  readonly #seen = new Map<string, SeenKey>();
  readonly #runs = new Map<string, LastRun>();
  #room = new Room(MOST_BYTES);
  #isCut = false;
  #dirt = new Dirt({ everything: true });
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
    this.#dialect = resolved.dialect;
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
      this.#dirt.addAll();
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
   * @throws {ZooKeeperUnavailableError} when no answer comes for `connectTimeoutMs`
   * @throws {LockAccessError} where an ACL hides the root
   * @throws {ZkClosedError}
   */
  read(): Promise<ReadonlyMap<string, TreeKey>> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
      if (!this.#dirt.isEmpty) this.#tell();
    });
    return this.#reading;
  }

  /**
   * Calls that wait for each other in a circle, ten circles at most, as {@link read} has seen them last.
   * Waiters that say nothing of what they hold are not among them.
   */
  deadlocks(): Omit<DeadlockReport, 'unknown'> {
    const queues: [string, Folder][] = [];
    for (const [segment, { content }] of this.#seen) {
      const isCurrent = !this.#dirt.everything && !this.#dirt.keys.has(segment);
      if (content?.kind === 'lock' && isCurrent) queues.push([segment, content.queue]);
    }
    return deadlocksIn(queues);
  }

  /** What {@link read} and {@link deadlocks} tell, for `problemsOf`. */
  async look(): Promise<TreeSight> {
    const keys = await this.read();
    const { deadlocks, isCut = false } = this.deadlocks();
    const cut = { areDeadlocksCut: isCut, areKeysCut: this.#isCut };
    return { keys, deadlocks, ...cut, dialect: this.#dialect };
  }

  /** Ends the session. Idempotent. */
  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    clearInterval(this.#poll);
    this.#listeners.clear();
    await this.#session.close({ timeoutMs: FAREWELL_MS });
  }

  async #read(): Promise<ReadonlyMap<string, TreeKey>> {
    const { access } = this.#session;
    const connected = (): Promise<SessionLease> => this.#connected();
    try {
      for (let pass = 0; pass === 0 || (!this.#dirt.isEmpty && pass < MOST_PASSES); pass++) {
        await askOnAnySession(connected, (lease) => this.#pass(lease));
      }
    } catch (error) {
      if (!hasReturnCode(error, ReturnCode.noAuth)) throw error;
      throw new LockAccessError(this.#root, { ...access.identity, cause: error });
    }
    return this.#keys();
  }

  /** Reads what there is to be read now. What changes from now on is for the next pass. */
  async #pass(lease: SessionLease): Promise<void> {
    await this.#answered(lease, () => this.#watch(lease));
    const dirt = this.#dirt;
    this.#dirt = new Dirt();
    this.#isTold = false;
    if (dirt.everything) {
      this.#room = new Room(MOST_BYTES);
      this.#isCut = false;
    }
    try {
      const noteTime = (stat: NodeStat): void => this.#noteTime(stat);
      const reader = new TreeReader(this.#session, lease, dirt.nodes, this.#room, noteTime);
      if (dirt.everything) await this.#answered(lease, () => this.#findAll(reader, dirt));
      const found = new Map<string, KeyContent | undefined>();
      await this.#each(lease, [...dirt.keys], LISTS_AT_ONCE, async (segment) => {
        found.set(segment, await this.#readKey(reader, dirt, segment));
      });
      await this.#each(lease, [...dirt.runs], NODES_AT_ONCE, (segment) =>
        this.#readRun(reader, segment),
      );
      await this.#each(lease, reader.planned, NODES_AT_ONCE, (node) => reader.readPlanned(node));
      await inSlices(this.#describe(new Set([...dirt.keys, ...dirt.runs]), found));
    } catch (error) {
      // What was seen and what was not is not told apart.
      this.#dirt.addAll();
      throw error;
    }
  }

  /** Asks for each of them, so many at a time. */
  async #each<T>(
    lease: SessionLease,
    items: readonly T[],
    atOnce: number,
    ask: (item: T) => Promise<void>,
  ): Promise<void> {
    for (let from = 0; from < items.length; from += atOnce) {
      const some = items.slice(from, from + atOnce);
      await this.#answered(lease, () => Promise.all(some.map(ask)));
    }
  }

  /** The answers to what is asked together, which has its own time: there may be much to be read. */
  async #answered<T>(lease: SessionLease, ask: () => Promise<T>): Promise<T> {
    using wait = this.#newWait();
    return await wait.for(retryUntilAnswered(this.#session, lease, ask));
  }

  async #connected(): Promise<SessionLease> {
    using wait = this.#newWait();
    return await this.#session.whenConnected(wait.signal);
  }

  #newWait(): Wait {
    const session = this.#session;
    const timeoutMs = this.#connectTimeoutMs;
    return new Wait({
      ...{ timeoutMs, signal: this.#closing.signal },
      onTimeout: () =>
        unavailableError(
          session,
          `did not show ${this.#root} within ${timeoutMs} ms`,
          'Check that the servers run and can be reached.',
        ),
      onAbort: () => new ZkClosedError(),
    });
  }

  async #findAll(reader: TreeReader, dirt: Dirt): Promise<void> {
    const [segments, runs] = await Promise.all([
      reader.names(this.#root),
      reader.names(this.#runsRoot),
    ]);
    const [keys, jobs] = [segments.filter(hasLockNodes), runs.filter(isKeyDirectory)];
    this.#isCut = keys.length > MOST_KEYS || jobs.length > MOST_KEYS;
    for (const segment of keys.slice(0, MOST_KEYS)) dirt.keys.add(segment);
    for (const segment of jobs.slice(0, MOST_KEYS)) dirt.runs.add(segment);
    for (const segment of this.#seen.keys()) dirt.keys.add(segment);
    for (const segment of this.#runs.keys()) dirt.runs.add(segment);
  }

  async #readKey(reader: TreeReader, dirt: Dirt, segment: string): Promise<KeyContent | undefined> {
    const known = this.#seen.get(segment);
    if (!hasLockNodes(segment)) return undefined;
    if (!known && this.#seen.size >= MOST_KEYS) {
      this.#isCut = true;
      return undefined;
    }
    const path = join(this.#root, segment);
    // After a gap, an unchanging name may stand for another node than before.
    if (dirt.everything) return await reader.key(path);
    this.#room.give(bytesOf(known?.content));
    return await reader.key(path, known?.content);
  }

  async #readRun(reader: TreeReader, segment: string): Promise<void> {
    const isKnown = this.#runs.has(segment) || this.#runs.size < MOST_KEYS;
    if (!isKnown) this.#isCut = true;
    const content = isKnown && (await reader.content(join(this.#runsRoot, segment)));
    const record = content ? parseRunRecord(content.data) : undefined;
    if (record) this.#runs.set(segment, toLastRun(record));
    else this.#runs.delete(segment);
  }

  *#describe(
    segments: ReadonlySet<string>,
    found: ReadonlyMap<string, KeyContent | undefined>,
  ): Generator<undefined, void> {
    for (const segment of segments) {
      const content = found.has(segment)
        ? withoutGone(found.get(segment))
        : this.#seen.get(segment)?.content;
      const lastRun = this.#runs.get(segment);
      if (!content && !lastRun) this.#seen.delete(segment);
      else {
        const path = join(this.#root, segment);
        this.#seen.set(segment, {
          content,
          described: describeKey({ segment, path }, content, lastRun),
        });
      }
      yield;
    }
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
        this.#dirt.addAll();
        this.#tell();
      }, POLL_MS);
    }
  }

  #onEvent(path: string, event: LastingEvent): void {
    if (event === 'children') return;
    this.#dirt.add(path, this.#root, this.#runsRoot);
    this.#tell();
  }

  #tell(): void {
    if (this.#isTold || this.#closing.signal.aborted) return;
    this.#isTold = true;
    callAll([...this.#listeners]);
  }

  #noteTime(stat: NodeStat): void {
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
