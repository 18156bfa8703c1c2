import { countText } from '../count-text.js';
import { ReturnCode, ZooKeeperError } from '../port/client-errors.js';
import type { SessionLease } from '../session/session-lease.js';

/** The bytes before each path in a transaction. */
const LENGTH_BYTES = 4;

/**
 * By default (`jute.maxbuffer`), servers read 2 MiB. Half of that leaves room for nodes that appear
 * late.
 */
const MOST_BYTES = 1_000_000;

/** Between two looks for nodes that other clients have deleted, in milliseconds. */
const LOOK_AGAIN_MS = 1_000;

interface Nodes {
  readonly paths: Set<string>;
  bytes: number;
  /** Uncounts nodes that other clients have deleted. Never rejects. */
  findGone: (() => Promise<void>) | undefined;
  finding: Promise<void> | undefined;
  foundAt: number;
}

/**
 * Limits the total length of the paths of a session's ephemeral nodes.
 *
 * Since ZooKeeper 3.6, the transaction that ends a session contains these paths. Servers can write
 * a longer one than they can read: then a quorum is lost, and no server can start again
 * (ZOOKEEPER-4306, open in 3.9).
 */
const sessions = new WeakMap<SessionLease, Nodes>();

/** Says who can tell, where the session is full, which of its nodes are gone without this client's doing. */
export function onFull(lease: SessionLease, findGone: () => Promise<void>): void {
  nodesOf(lease).findGone = findGone;
}

/**
 * Counts a node that is about to be created. A session without room for it looks for nodes that are
 * gone before.
 *
 * @returns undefined if the node is counted: then nothing has to be waited for
 * @throws {ZooKeeperError} when the session has no room for it
 */
export function reserveNode(lease: SessionLease, path: string): Promise<void> | undefined {
  const nodes = nodesOf(lease);
  const looking = hasRoomFor(nodes, path) ? undefined : lookForGone(nodes);
  if (looking) return looking.then(() => reserve(nodes, path));
  reserve(nodes, path);
  return undefined;
}

/** Undefined if it cannot be known, or it was done a moment ago. Never rejects. */
function lookForGone(nodes: Nodes): Promise<void> | undefined {
  if (!nodes.findGone || performance.now() - nodes.foundAt < LOOK_AGAIN_MS) return undefined;
  nodes.finding ??= nodes.findGone().finally(() => {
    nodes.finding = undefined;
    nodes.foundAt = performance.now();
  });
  return nodes.finding;
}

function reserve(nodes: Nodes, path: string): void {
  if (!hasRoomFor(nodes, path)) {
    const { bytes, paths } = nodes;
    const remedy = `It was not sent: the paths of this session's ${countText(paths.size, 'node')} take ${bytes} of ${MOST_BYTES} bytes, and servers cannot process the end of a session with many more. Delete ephemeral znodes or release locks before you create others, shorten \`keepMs\` (kept locks also count), use shorter keys, limit waiting calls with \`cohort\` or \`maxWaiting\`, or take some locks on a second connection.`;
    throw new ZooKeeperError(ReturnCode.tooManyEphemerals, 'create', path, { remedy });
  }
  count(nodes, path);
}

/** Counts a node that exists. */
export function countNode(lease: SessionLease, path: string): void {
  count(nodesOf(lease), path);
}

function count(nodes: Nodes, path: string): void {
  if (nodes.paths.has(path)) return;
  nodes.paths.add(path);
  nodes.bytes += bytesOf(path);
}

/** Stops counting a node. */
export function uncountNode(lease: SessionLease, path: string): void {
  const nodes = nodesOf(lease);
  if (nodes.paths.delete(path)) nodes.bytes -= bytesOf(path);
}

function nodesOf(lease: SessionLease): Nodes {
  let nodes = sessions.get(lease);
  if (!nodes) {
    nodes = {
      ...{ paths: new Set(), bytes: 0 },
      ...{ findGone: undefined, finding: undefined, foundAt: -Infinity },
    };
    sessions.set(lease, nodes);
  }
  return nodes;
}

const hasRoomFor = ({ bytes, paths }: Nodes, path: string): boolean =>
  paths.has(path) || bytes + bytesOf(path) <= MOST_BYTES;

const bytesOf = (path: string): number => Buffer.byteLength(path) + LENGTH_BYTES;
