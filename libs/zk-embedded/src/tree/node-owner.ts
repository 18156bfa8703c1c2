/** What ends a node: nothing, a session, the loss of its last child, or time. */
export type NodeOwner =
  | { readonly kind: 'none' }
  | { readonly kind: 'session'; readonly sessionId: bigint }
  | { readonly kind: 'container' }
  | { readonly kind: 'ttl'; readonly ttlMs: number };

/** About 34 years. */
export const MAX_TTL_MS = 2n ** 40n - 1n;

export const UNOWNED: NodeOwner = { kind: 'none' };

/** The `ephemeralOwner` of a stat. Containers and TTL nodes show 0. */
export function ephemeralOwnerOf(owner: NodeOwner): bigint {
  return owner.kind === 'session' ? owner.sessionId : 0n;
}
