import { cleanText, shellWord } from 'zk-client/recipes';
import { hasSemaphorePart } from '../lock/key-path.js';
import { LockDirectoryError } from '../lock/lock-errors.js';
import type { LockMode } from '../lock/lock.js';
import { findInSlices, forEachInSlices, sortedInSlices } from '../slices.js';

/**
 * Which node names are used, and therefore which programs the locks are shared with:
 * - `curator-rw`: Curator's `InterProcessReadWriteLock`;
 * - `curator-mutex`: Curator's `InterProcessMutex`, go-zk, and a kazoo `Lock` with such names;
 *   `write` only;
 * - `kazoo`: kazoo's `WriteLock` and `ReadLock`, and its `Lock` if there are no readers;
 * - `single-node`: programs whose lock is one ephemeral node, `<root>/<key>/lock`; `write` only. It
 *   is not fair, and each release wakes all waiters.
 */
export type DialectName = 'curator-rw' | 'curator-mutex' | 'kazoo' | 'single-node';

/** A naming scheme for lock nodes. A directory has one dialect. */
export interface Dialect {
  readonly name: DialectName;
  readonly hasReaders: boolean;
  /** Whether its writers wait for all nodes before them, and its readers for no node after them. */
  readonly canUpgrade: boolean;
  /**
   * The prefix to which the server appends the sequence number. `guid` identifies the node if the
   * answer is lost.
   */
  readonly nodePrefix: Readonly<Record<LockMode, (guid: string) => string>>;
  /** The text that the server appended to the prefix. */
  sequenceText(name: string): string;
  /**
   * Returns the directory's queue in order, with pauses between slices of work: see `inSlices` and
   * `atOnce`.
   *
   * @throws {LockDirectoryError} when a child is not a lock node of this dialect, or when the
   * directory's sequence counter has reached its end
   */
  parse(directory: string, names: readonly string[]): Generator<undefined, QueueNode[]>;
}

interface Naming {
  /** Groups: the text that stands for the mode, and the sequence number. */
  readonly pattern: RegExp;
  readonly modes: Readonly<Partial<Record<LockMode, string>>>;
  readonly prefix: (guid: string, mode: string) => string;
  /** For people: the program that uses these names. */
  readonly of: string;
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/**
 * As the server writes it, with `%010d`: a minus sign is one of the ten characters, except for the
 * lowest numbers.
 */
const SEQUENCE = '(\\d{10}|-\\d{9,10})';

/** The part of a name that errors show. */
const LONGEST_SHOWN = 80;

const NAMINGS: Readonly<Record<DialectName, Naming>> = {
  'curator-rw': {
    pattern: new RegExp(`^_c_${UUID}-__(READ|WRIT)__${SEQUENCE}$`),
    modes: { read: 'READ', write: 'WRIT' },
    prefix: (guid, mode) => `_c_${guid}-__${mode}__`,
    of: "Curator's InterProcessReadWriteLock",
  },
  'curator-mutex': {
    // go-zk writes the GUID without dashes, and so does kazoo, which also has no prefix.
    pattern: new RegExp(`^(?:_c_${UUID}|(?:_c_)?[0-9a-f]{32})-(lock)-${SEQUENCE}$`),
    modes: { write: 'lock' },
    prefix: (guid, mode) => `_c_${guid}-${mode}-`,
    of: "Curator's InterProcessMutex",
  },
  kazoo: {
    pattern: new RegExp(`^[0-9a-f]{32}__(r?lock)__${SEQUENCE}$`),
    modes: { read: 'rlock', write: 'lock' },
    prefix: (guid, mode) => `${guid.replaceAll('-', '')}__${mode}__`,
    of: "kazoo's locks",
  },
  'single-node': {
    pattern: /^(lock)()$/,
    modes: { write: 'lock' },
    prefix: (_, mode) => mode,
    of: 'programs whose lock is one node',
  },
};

export const DIALECT_NAMES = Object.keys(NAMINGS) as readonly DialectName[];

/** Whether a name is that of a lock node of any dialect. */
export function isLockNode(name: string): boolean {
  return Object.values(NAMINGS).some(({ pattern }) => pattern.test(name));
}

/**
 * Whether the children of a key's directory are those of a semaphore, which takes no notice of
 * others, except for a lock node.
 */
export function* areOfSemaphore(names: readonly string[]): Generator<undefined, boolean> {
  return hasSemaphorePart(names) && (yield* findInSlices(names, isLockNode)) === undefined;
}

export function dialectOf(name: DialectName): Dialect {
  const naming = NAMINGS[name];
  const { read = '', write = '' } = naming.modes;
  return {
    name,
    hasReaders: naming.modes.read !== undefined,
    // Up to version 2.8, kazoo's readers wait for writers that came after them (kazoo issue 649).
    canUpgrade: name === 'curator-rw',
    nodePrefix: {
      read: (guid) => naming.prefix(guid, read),
      write: (guid) => naming.prefix(guid, write),
    },
    sequenceText: (node) => naming.pattern.exec(node)?.[2] ?? '',
    *parse(directory, names) {
      return yield* sortedInSlices(yield* readNames(name, naming, directory, names), byPlace);
    },
  };
}

/** A directory's queue according to its nodes' names, of this program or another. */
export interface FoundQueue {
  readonly nodes: readonly QueueNode[];
  /** The dialects of the names; more than one if programs use different ones. */
  readonly dialects: readonly DialectName[];
  /** The children that are not lock nodes. */
  readonly strangers: readonly string[];
}

/**
 * Like {@link Dialect.parse}, for display: it refuses nothing, and pauses between slices of work.
 */
export function* findQueue(names: readonly string[]): Generator<undefined, FoundQueue> {
  const dialects = new Set<DialectName>();
  const strangers: string[] = [];
  const nodes: QueueNode[] = [];
  yield* forEachInSlices(names, (name) => {
    const dialect = DIALECT_NAMES.find((candidate) => NAMINGS[candidate].pattern.test(name));
    const node = dialect && nodeOf(NAMINGS[dialect], name);
    if (node) nodes.push(node);
    else strangers.push(name);
    if (dialect) dialects.add(dialect);
  });
  const ordered = yield* sortedInSlices(nodes, byPlace);
  return { nodes: ordered, dialects: [...dialects], strangers };
}

/** Undefined if the name is not of this dialect, or has a number that no server assigns. */
function nodeOf({ pattern, modes }: Naming, name: string): QueueNode | undefined {
  const match = pattern.exec(name);
  const sequence = Number(match?.[2]);
  if (!match || (sequence | 0) !== sequence) return undefined;
  return { name, mode: match[1] === modes.read ? 'read' : 'write', sequence };
}

function* readNames(
  dialect: DialectName,
  naming: Naming,
  directory: string,
  names: readonly string[],
): Generator<undefined, QueueNode[]> {
  const foreign: string[] = [];
  const nodes: QueueNode[] = [];
  yield* forEachInSlices(names, (name) => {
    const node = nodeOf(naming, name);
    if (node) nodes.push(node);
    else foreign.push(name);
  });
  if (foreign.length > 0) throw yield* foreignNodes(dialect, directory, foreign);
  if (!nodes.every(({ sequence }) => isInOrder(sequence))) throw counterUsedUp(directory);
  return nodes;
}

function* foreignNodes(
  dialect: DialectName,
  directory: string,
  names: readonly string[],
): Generator<undefined, LockDirectoryError> {
  const shown = names
    .slice(0, 3)
    .map((name) => `"${cleanText(name).slice(0, LONGEST_SHOWN)}"`)
    .join(', ');
  const more = names.length > 3 ? ` and ${names.length - 3} more` : '';
  const other = DIALECT_NAMES.find((name) =>
    names.every((node) => NAMINGS[name].pattern.test(node)),
  );
  const remedy = yield* remedyFor(names, other);
  return new LockDirectoryError(
    `${directory} contains nodes that are not locks of the dialect "${dialect}": ${shown}${more}. ${remedy}`,
  );
}

function* remedyFor(
  names: readonly string[],
  other: DialectName | undefined,
): Generator<undefined, string> {
  if (other) {
    return `They belong to ${NAMINGS[other].of}: to share locks with it, set \`dialect: '${other}'\` in all processes that use this root.`;
  }
  if (yield* areOfSemaphore(names)) {
    return 'The key belongs to a semaphore. Use it with `semaphore(key)`, and give the lock another key.';
  }
  return 'Give the locks a `root` of their own, or remove these nodes.';
}

/** A contender's znode, as far as its name describes it. */
export interface QueueNode {
  readonly name: string;
  readonly mode: LockMode;
  readonly sequence: number;
}

/**
 * Orders nodes by sequence number. A writer and the reader that it becomes share a number; the
 * reader, which stays longer, comes last, because it is the one to wait for. A server assigns each
 * number that {@link Dialect.parse} accepts to only one node. Nodes created by hand may share a
 * number; all contenders then order them in the same way, by name.
 */
export function byPlace(a: QueueNode, b: QueueNode): number {
  return a.sequence - b.sequence || isReader(a) - isReader(b) || (a.name < b.name ? -1 : 1);
}

const isReader = ({ mode }: QueueNode): number => (mode === 'read' ? 1 : 0);

/** The nodes before `name` in a sorted queue; undefined if it is not in the queue. */
export function aheadOf(queue: readonly QueueNode[], name: string): QueueNode[] | undefined {
  const own = queue.findIndex((node) => node.name === name);
  return own === -1 ? undefined : queue.slice(0, own);
}

/**
 * The nodes that may hold the lock alongside a reader that wants to become a writer: those up to
 * the first writer behind it. A writer's node before it holds nothing, because the reader was let
 * in. That node may have arrived late, from a call that has given up, and readers behind it may
 * still be reading.
 *
 * @param own the number that the reader's nodes share, including those about to be created or
 * removed
 */
export function otherReaders(queue: readonly QueueNode[], own: number): QueueNode[] {
  const others = queue.filter(({ sequence }) => sequence !== own);
  const writer = others.findIndex(({ mode, sequence }) => mode === 'write' && sequence > own);
  return writer === -1 ? others : others.slice(0, writer);
}

/**
 * The last number with a place in the order. ZooKeeper gives 2147483647 to many nodes, and negative
 * numbers likewise (docs/decisions/0016-end-of-the-sequence-counter.md).
 */
const LAST_SEQUENCE = 2_147_483_646;

const WARN_FROM = 2_000_000_000;

const DIGITS = 10;

/** The number of a node that has a place in the order, from its name or path. */
export function sequenceOf(path: string): number {
  return Number(path.slice(-DIGITS));
}

/** Whether nodes with this number have a place in the order of a directory. */
export function isInOrder(sequence: number): boolean {
  return sequence >= 0 && sequence <= LAST_SEQUENCE;
}

/** Whether the counter of a directory is close to its end. */
export function isNearEnd(sequence: number): boolean {
  return sequence >= WARN_FROM;
}

/** The error of every call in a directory that has numbers without an order. */
export function counterUsedUp(directory: string): LockDirectoryError {
  return new LockDirectoryError(
    `The sequence counter of ${directory} has reached its end, 2147483647: the order of new nodes is unknown. ${draining(directory)}`,
  );
}

/** What to do before the counter is used up. */
export function counterNearEnd(directory: string, sequence: number): string {
  return `The sequence counter of ${directory} is at ${sequence}. From 2147483647 on, all calls for this key are refused. ${draining(directory)} See "Draining a directory" in docs/operating.md.`;
}

/** How to recreate a directory whose counter is close to its end. */
export function draining(directory: string): string {
  return `To start again from 0, drain the directory: stop taking this key in all processes, wait for its holders to release it, and delete the empty directory (zkCli.sh delete ${shellWord(directory)}) or let ZooKeeper remove it as an empty container.`;
}
