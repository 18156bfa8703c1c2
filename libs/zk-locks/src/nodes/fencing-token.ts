/**
 * The number of a token's bits that tell the grants under one node apart. A zxid that npm `zookeeper` tells
 * exactly has 53, so that the token is an integer of 63.
 */
const GRANT_BITS = 10;

/** The most grants under one node. */
export const MAX_GRANTS = 2 ** GRANT_BITS;

/**
 * The token of a grant: higher than those of all grants before it, under its own node and under all
 * nodes that were created earlier.
 *
 * Nodes that exclude each other are served in the order of their creation, so a later one has a higher
 * czxid, also in a directory that was made anew. For czxids m < n and grants i, j below 1,024:
 * m × 1024 + i < (m + 1) × 1024 ≤ n × 1024 + j. A node that replaces another (downgrade, upgrade) keeps
 * the token that its holding began with.
 *
 * Nodes with one czxid are of one transaction, and none of them serves several grants: here `grant` is the
 * rank of the node, which rises in the order of their creation.
 *
 * @param grant its number under the node, from 0 on, or the rank of its node
 */
export function fencingToken(czxid: bigint, grant = 0): bigint {
  return (czxid << BigInt(GRANT_BITS)) + BigInt(grant);
}

/** The czxid that a token was made of: calls under one node have tokens that differ in the last bits. */
export function czxidOf(token: bigint): bigint {
  return token >> BigInt(GRANT_BITS);
}
