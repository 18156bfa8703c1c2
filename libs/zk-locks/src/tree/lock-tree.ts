import { hasLockNodes, isKeyDirectory, keyOf } from '../lock/key-path.js';
import type { DeadlockReport } from '../inspection/deadlocks.js';
import {
  askOnAnySession,
  callAll,
  checkCallbacks,
  guardLogger,
  hasReturnCode,
  join,
  type LastingEvent,
  type LockSession,
  ReturnCode,
  Session,
  type SessionLease,
  silentLogger,
  type ZkLockLogger,
} from 'zk-client/recipes';
import { type LocksOptions, resolveLocksOptions } from '../options/locks-options.js';
import type { DialectName } from '../nodes/dialect.js';
import { orAccessError } from '../queue/wait.js';
import { inSlices } from '../slices.js';
import type { Breaker } from '../lock/holder.js';
import type { LockAccessError } from '../lock/lock-errors.js';
import { Answers } from './answers.js';
import { Dirt } from './dirt.js';
import { LastWords } from './last-words.js';
import { RunRecords } from './run-records.js';
import { contenderPath, type TreeChange, withHeldSince } from './tree-change.js';
import { TreeClock } from './tree-clock.js';
import { deadlocksIn } from './tree-deadlocks.js';
import {
  describeKey,
  type Folder,
  type KeyContent,
  type TreeContender,
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
  readonly #answers: Answers;
  readonly #closing = new AbortController();
  readonly #listeners = new Set<() => void>();
  readonly #seen = new Map<string, SeenKey>();
  readonly #runs: RunRecords;
  #room = new Room(MOST_BYTES);
  #isCut = false;
  #dirt = new Dirt();
  #isTold = false;
  /** Whether this connection has the watch. */
  #isWatching = false;
  #poll: NodeJS.Timeout | undefined;
  #updating: Promise<void> | undefined;
  readonly #clock = new TreeClock();
  readonly #lastWords: LastWords;
  readonly #onKey = new Set<(change: TreeChange) => void>();

  /**
   * Checks the options, which are those of the locks. Call {@link start} to connect.
   *
   * @throws {ZkLockConfigError}
   */
  constructor(options: LocksOptions, logger: ZkLockLogger = silentLogger) {
    const resolved = resolveLocksOptions({ ...options, client: 'wire' });
    this.#root = resolved.root;
    this.#dialect = resolved.dialect;
    // This session creates no nodes.
    const own = { isInUse: () => false, restrictsNodes: false };
    this.#session = new Session({ ...resolved, ...own }, guardLogger(logger));
    const { connectTimeoutMs } = resolved;
    this.#runs = new RunRecords(this.#session, this.#root, MOST_KEYS);
    this.#lastWords = new LastWords(this.#session);
    this.#answers = new Answers(this.#session, this.#root, connectTimeoutMs, this.#closing.signal);
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
      this.#clock.forget();
      this.#dirt.addAll({ hasGap: true });
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
    return this.#clock.now();
  }

  /**
   * Calls `listener` once when something has changed since the latest {@link read} began, and not again
   * before the next read.
   *
   * @returns a function that stops the calls
   */
  onChange(listener: () => void): () => void {
    checkCallbacks({ listener });
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Calls `listener` for each key that {@link read} or {@link update} finds changed. The first read reports
   * all keys.
   *
   * @returns a function that stops the calls
   */
  onKey(listener: (change: TreeChange) => void): () => void {
    checkCallbacks({ listener });
    this.#onKey.add(listener);
    return () => void this.#onKey.delete(listener);
  }

  /**
   * Returns all keys in no particular order; reads only what has changed since the last time. Keys
   * that have not changed are the same objects.
   *
   * @throws {ZooKeeperUnavailableError} if no answer arrives within `connectTimeoutMs`
   * @throws {LockAccessError} when an ACL hides the root
   * @throws {ZkClosedError}
   */
  async read(): Promise<ReadonlyMap<string, TreeKey>> {
    await this.update();
    return this.#keys();
  }

  /** Reads what has changed since the last time, for {@link onKey}. @throws as {@link read} */
  update(): Promise<void> {
    this.#updating ??= this.#update().finally(() => {
      this.#updating = undefined;
      if (this.#dirt.isEmpty) return;
      // This includes changes since the listeners were called.
      this.#isTold = false;
      this.#tell();
    });
    return this.#updating;
  }

  /**
   * Finds calls that wait for each other in a circle, at most ten circles, in what {@link read} last saw.
   * Waiters whose nodes do not say what they hold are not included.
   */
  deadlocks(): Omit<DeadlockReport, 'unknown'> {
    if (this.#dirt.everything) return { deadlocks: [] };
    const queues: [string, Folder][] = [];
    for (const [segment, { content }] of this.#seen) {
      if (content?.kind !== 'lock') continue;
      // Nodes that have changed may no longer exist.
      queues.push([segment, this.#dirt.unchanged(this.#root, segment, content.queue)]);
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

  /** The error if an ACL hid records of jobs whose keys begin with `prefix` from {@link read}. */
  runsRefusal(prefix = ''): LockAccessError | undefined {
    return this.#runs.refusal(prefix);
  }

  /** Ends the session. Idempotent. */
  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    clearInterval(this.#poll);
    this.#listeners.clear();
    await this.#session.close({ timeoutMs: FAREWELL_MS });
  }

  async #update(): Promise<void> {
    const connected = (): Promise<SessionLease> => this.#answers.connected();
    try {
      for (let pass = 0; pass === 0 || (!this.#dirt.isEmpty && pass < MOST_PASSES); pass++) {
        await askOnAnySession(connected, (lease) => this.#pass(lease));
      }
    } catch (error) {
      throw orAccessError(this.#session, error, this.#root);
    }
  }

  /** Reads the changes so far. Later changes are left for the next pass. */
  async #pass(lease: SessionLease): Promise<void> {
    await this.#answers.to(lease, () => this.#watch(lease));
    const dirt = this.#dirt;
    this.#dirt = new Dirt();
    this.#isTold = false;
    if (dirt.everything) {
      this.#room = new Room(MOST_BYTES);
      this.#isCut = false;
    }
    try {
      const onStat: TreeClock['note'] = (stat, toldAt) => this.#clock.note(stat, toldAt);
      const reader = new TreeReader(this.#session, lease, dirt.nodes, this.#room, onStat);
      if (dirt.everything) await this.#answers.to(lease, () => this.#findAll(reader, dirt));
      const found = new Map<string, KeyContent | undefined>();
      await this.#answers.toEach(lease, [...dirt.keys], LISTS_AT_ONCE, async (segment) => {
        found.set(segment, await this.#readKey(reader, dirt, segment));
      });
      await this.#answers.toEach(lease, [...dirt.runs], NODES_AT_ONCE, async (segment) => {
        if (!(await this.#runs.read(reader, segment))) this.#isCut = true;
      });
      await this.#answers.toEach(lease, reader.planned, NODES_AT_ONCE, (node) =>
        reader.readPlanned(node),
      );
      await inSlices(this.#describe(dirt, found));
    } catch (error) {
      this.#dirt.addUnread(dirt);
      throw error;
    }
  }

  async #findAll(reader: TreeReader, dirt: Dirt): Promise<void> {
    const [segments, runs] = await Promise.all([
      reader.names(this.#root),
      this.#runs.names(reader),
    ]);
    const [keys, jobs] = [segments.filter(hasLockNodes), runs.filter(isKeyDirectory)];
    this.#isCut = keys.length > MOST_KEYS || jobs.length > MOST_KEYS;
    for (const segment of keys.slice(0, MOST_KEYS)) dirt.keys.add(segment);
    for (const segment of jobs.slice(0, MOST_KEYS)) dirt.runs.add(segment);
    for (const segment of this.#seen.keys()) dirt.keys.add(segment);
    for (const segment of this.#runs.found.keys()) dirt.runs.add(segment);
  }

  async #readKey(reader: TreeReader, dirt: Dirt, segment: string): Promise<KeyContent | undefined> {
    const known = this.#seen.get(segment);
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

  *#describe(
    dirt: Dirt,
    found: ReadonlyMap<string, KeyContent | undefined>,
  ): Generator<undefined, void> {
    for (const segment of new Set([...dirt.keys, ...dirt.runs])) {
      const known = this.#seen.get(segment);
      const content = found.has(segment) ? withoutGone(found.get(segment)) : known?.content;
      const lastRun = this.#runs.found.get(segment);
      const path = join(this.#root, segment);
      const isThere = content !== undefined || lastRun !== undefined;
      const after = isThere ? describeKey({ segment, path }, content, lastRun) : undefined;
      const change = this.#changeOf(dirt, { key: keyOf(segment), before: known?.described, after });
      if (change.after) this.#seen.set(segment, { content, described: change.after });
      else this.#seen.delete(segment);
      if (isKeyDirectory(segment)) for (const listener of this.#onKey) listener(change);
      yield;
    }
  }

  #changeOf(dirt: Dirt, seen: Pick<TreeChange, 'key' | 'before' | 'after'>): TreeChange {
    const [seenAt, here, { before }] = [this.now(), performance.now(), seen];
    // A read continues after a reconnect, and then shows what was missed in the meantime.
    const hasGap = dirt.hasGap || this.#dirt.hasGap;
    const toldAt = (contender: TreeContender): number => {
      const isTold = before !== undefined && !hasGap;
      const moment = isTold ? dirt.nodes.get(contenderPath(before, contender)) : undefined;
      return moment === undefined ? seenAt : seenAt - Math.max(0, Math.round(here - moment));
    };
    const brokenBy = (contender: TreeContender): Breaker | undefined =>
      before && dirt.breakerOf(contenderPath(before, contender));
    return withHeldSince({ ...seen, seenAt, hasGap, toldAt, brokenBy });
  }

  async #watch(lease: SessionLease): Promise<void> {
    if (this.#isWatching || this.#poll) return;
    this.#isWatching = true;
    const watch = (path: string): Promise<void> =>
      this.#session.read(lease, 'addWatch', path, async (client) => {
        await client.addWatch?.(path, { recursive: true });
      });
    try {
      await Promise.all([this.#root, this.#runs.root].map(watch));
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
    const hears = event === 'changed' && this.#onKey.size > 0;
    if (hears) void this.#lastWords.hear(path, this.#dirt);
    this.#dirt.add(path, this.#root, this.#runs.root);
    this.#tell();
  }

  #tell(): void {
    if (this.#isTold || this.#closing.signal.aborted) return;
    this.#isTold = true;
    callAll([...this.#listeners]);
  }

  #keys(): ReadonlyMap<string, TreeKey> {
    const keys = new Map<string, TreeKey>();
    for (const [segment, { described }] of this.#seen) {
      if (isKeyDirectory(segment)) keys.set(described.key, described);
    }
    return keys;
  }
}
