/**
 * The number of bits of a token that distinguish the grants under one node. npm `zookeeper`
 * represents zxids exactly up to 53 bits, so the token is an integer of 63 bits.
 */
const GRANT_BITS = 10;

/** The maximum number of grants under one node. */
export const MAX_GRANTS = 2 ** GRANT_BITS;

/**
 * The token of a grant: higher than those of all earlier grants, both under its own node and under
 * all nodes that were created earlier.
 *
 * Nodes that exclude each other are served in the order of their creation, so a later one has a
 * higher czxid, even in a directory that was recreated. For czxids m < n and grants i, j below
 * 1,024: m × 1024 + i < (m + 1) × 1024 ≤ n × 1024 + j. A node that replaces another (downgrade,
 * upgrade) keeps the token of the original grant.
 *
 * Nodes with the same czxid were created in one transaction, and none of them serves several
 * grants: in that case, `grant` is the rank of the node, which rises in the order of their
 * creation.
 *
 * @param grant its number under the node, starting at 0, or the rank of its node
 */
export function fencingToken(czxid: bigint, grant = 0): bigint {
  return (czxid << BigInt(GRANT_BITS)) + BigInt(grant);
}

/**
 * The czxid of which a token was made. Calls under one node have tokens that differ in the last
 * bits.
 */
export function czxidOf(token: bigint): bigint {
  return token >> BigInt(GRANT_BITS);
}
