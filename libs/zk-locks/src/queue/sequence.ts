import { LockDirectoryError } from '../lock-errors.js';

/**
 * The last number with a place in the order: 2147483647 is given to many nodes, as are negative
 * numbers (docs/decisions/0016-end-of-the-sequence-counter.md).
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

/** Whether the counter of a directory comes near its end. */
export function isNearEnd(sequence: number): boolean {
  return sequence >= WARN_FROM;
}

/** The error of every call in a directory that has numbers without order. */
export function counterUsedUp(directory: string): LockDirectoryError {
  return new LockDirectoryError(
    `The sequence counter of ${directory} has reached its end, 2147483647: the order of new nodes is unknown. ${remedyFor(directory)}`,
  );
}

/** What to do before the counter is used up. */
export function counterNearEnd(directory: string, sequence: number): string {
  return `The sequence counter of ${directory} is at ${sequence}. From 2147483647 on, all calls for this key are refused. ${remedyFor(directory)} See "Draining a directory" in docs/operating.md.`;
}

function remedyFor(directory: string): string {
  return `To start again from 0, drain the directory: stop taking this key in all processes, wait for its holders to release it, and delete the empty directory (zkCli.sh: delete ${directory}) or let ZooKeeper remove it as an empty container.`;
}

/**
 * So many of a token's bits tell the grants under one node apart. A zxid that npm `zookeeper` tells
 * exactly has 53, so that the token is an integer of 63.
 */
const GRANT_BITS = 10;

/** The most grants under one node. */
export const MAX_GRANTS = 2 ** GRANT_BITS;

/**
 * The token of a grant: higher than those of all grants before it, under its own node and under all
 * nodes that were created earlier.
 *
 * @param grant its number under the node, from 0 on
 */
export function fencingToken(czxid: bigint, grant = 0): bigint {
  return (czxid << BigInt(GRANT_BITS)) + BigInt(grant);
}
