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
import type { LastRun } from '../lock/last-run.js';
import { parseRunRecord, toLastRun } from '../runs/run-record.js';
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

/** Each directory may have many children. */
const LISTS_AT_ONCE = 200;

const NODES_AT_ONCE = 1_000;

const MOST_KEYS = 100_000;

/** The memory limit for all of them, in bytes. */
const MOST_BYTES = 128 * 1_048_576;

/** Under constant changes, a snapshot is returned after this many passes. */
const MOST_PASSES = 3;

/** Used with servers before 3.6, which cannot watch a whole tree. */
const POLL_MS = 2_000;

const FAREWELL_MS = 1_000;

interface SeenKey {
  readonly content: KeyContent | undefined;
  readonly described: TreeKey;
}

/**
 * All keys under the root with their holders and waiters, on a session of its own, with the client `wire`.
 * Writes nothing. One watch on the whole tree reports what has changed, and only that is read again. Data
 * that other programs store there can fill only a limited part of the memory, and reading does not block the
 * event loop.
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
  /** A lower bound of how far ZooKeeper's clock is ahead of `performance.now()`. */
  #clockOffset = -Infinity;

  /**
   * Checks the options, which are those of the locks. Call {@link start} to connect.
   *
   * @throws {ZkLockConfigError}
   */
  constructor(options: LocksOptions, logger: ZkLockLogger = silentLogger) {
    const resolved = resolveLocksOptions({ ...options, client: 'wire' });
    this.#root = resolved.root;
    this.#dialect = resolved.dialect;
    this.#connectTimeoutMs = resolved.connectTimeoutMs;
    // This session creates no nodes.
    const own = { isInUse: () => false, restrictsNodes: false };
    this.#session = new Session({ ...resolved, ...own }, logger);
  }

  /**
   * Connects, and reads everything for the first time.
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

  /** Starts to connect, and keeps reconnecting until {@link close}. */
  start(): void {
    this.#session.setLastingListener({
      onEvent: (path, event) => this.#onEvent(path, event),
    });
    this.#session.start();
    this.#session.onState(({ name }) => {
      if (name !== 'connected') return;
      // Changes that were missed in the meantime are not reported.
      this.#isWatching = false;
      this.#dirt.addAll();
      this.#tell();
    });
  }

  get session(): LockSession {
    return this.#session;
  }

  /** Why there is no connection, for messages; undefined while connected, or before anything has failed. */
  get connectProblem(): string | undefined {
    return this.#session.connectProblem;
  }

  /** Includes the chroot. */
  get root(): string {
    return this.#root;
  }

  /**
   * The current time by ZooKeeper's clock, in milliseconds since 1970. It is estimated from this process's
   * clock, corrected by the creation times of the nodes that were seen.
   */
  now(): number {
    return Math.max(Date.now(), Math.round(this.#clockOffset + performance.now()));
  }

  /**
   * Calls `listener` once when something has changed since the latest {@link read} began, and not again
   * before the next read.
   *
   * @returns a function that stops the calls
   */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Returns all keys in no particular order; reads only what has changed since the last time. Keys that have
   * not changed are the same objects.
   *
   * @throws {ZooKeeperUnavailableError} if no answer arrives within `connectTimeoutMs`
   * @throws {LockAccessError} when an ACL hides the root
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
   * Finds calls that wait for each other in a circle, at most ten circles, in what {@link read} last saw.
   * Waiters that do not tell what they hold are not included.
   */
  deadlocks(): Omit<DeadlockReport, 'unknown'> {
    const queues: [string, Folder][] = [];
    for (const [segment, { content }] of this.#seen) {
      const isCurrent = !this.#dirt.everything && !this.#dirt.keys.has(segment);
      if (content?.kind === 'lock' && isCurrent) queues.push([segment, content.queue]);
    }
    return deadlocksIn(queues);
  }

  /** Returns the results of {@link read} and {@link deadlocks} together, for `problemsOf`. */
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

  /** Reads what is to be read now. Later changes are left for the next pass. */
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
      // It is not recorded which nodes were read before this failed.
      this.#dirt.addAll();
      throw error;
    }
  }

  /** Asks for each of them, a limited number at a time. */
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

  /**
   * The answers to requests that are sent together. They have a time limit of their own, because there may
   * be much to read.
   */
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
    // After a gap, an unchanged name may belong to a different node.
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
