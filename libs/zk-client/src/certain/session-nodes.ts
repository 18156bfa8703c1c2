import { countText } from '../count-text.js';
import { ReturnCode, ZooKeeperError } from '../port/client-errors.js';
import type { SessionLease } from '../session/session-lease.js';

/** Bytes in front of each path in a transaction. */
const LENGTH_BYTES = 4;

/** Servers with the default `jute.maxbuffer` read 2 MiB; half of that leaves room for nodes that come late. */
const MOST_BYTES = 1_000_000;

interface Nodes {
  readonly paths: Set<string>;
  bytes: number;
}

/**
 * Limits the total length of the paths of a session's ephemeral nodes.
 *
 * Since ZooKeeper 3.6 the transaction that ends a session holds these paths. Servers write one that is
 * longer than they read: a quorum is lost, and no server starts again (ZOOKEEPER-4306, open in 3.9).
 */
const sessions = new WeakMap<SessionLease, Nodes>();

/**
 * Counts a node that is about to be created.
 *
 * @throws {ZooKeeperError} where the session has no room for it
 */
export function reserveNode(lease: SessionLease, path: string): void {
  const { bytes, paths } = nodesOf(lease);
  if (bytes + bytesOf(path) > MOST_BYTES) {
    const remedy = `It was not sent: the paths of the ${countText(paths.size, 'node')} that this session has take ${bytes} of ${MOST_BYTES} bytes, and servers cannot read the end of a session with many more. Release locks before you take others, use shorter keys, let calls wait with \`cohort\` or \`maxWaiting\`, or take some locks by a second connection.`;
    throw new ZooKeeperError(ReturnCode.tooManyEphemerals, 'create', path, { remedy });
  }
  countNode(lease, path);
}

/** Counts a node that is there. */
export function countNode(lease: SessionLease, path: string): void {
  const nodes = nodesOf(lease);
  if (nodes.paths.has(path)) return;
  nodes.paths.add(path);
  nodes.bytes += bytesOf(path);
}

/** Counts a node no longer. */
export function uncountNode(lease: SessionLease, path: string): void {
  const nodes = nodesOf(lease);
  if (nodes.paths.delete(path)) nodes.bytes -= bytesOf(path);
}

function nodesOf(lease: SessionLease): Nodes {
  let nodes = sessions.get(lease);
  if (!nodes) {
    nodes = { paths: new Set(), bytes: 0 };
    sessions.set(lease, nodes);
  }
  return nodes;
}

const bytesOf = (path: string): number => Buffer.byteLength(path) + LENGTH_BYTES;
