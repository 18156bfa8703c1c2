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
