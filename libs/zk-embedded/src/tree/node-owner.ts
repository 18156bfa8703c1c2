/** What a node ends with: nothing, a session, its last child, or its time. */
export type NodeOwner =
  | { readonly kind: 'none' }
  | { readonly kind: 'session'; readonly sessionId: bigint }
  | { readonly kind: 'container' }
  | { readonly kind: 'ttl'; readonly ttlMs: number };

/** About 34 years. */
export const MAX_TTL_MS = 2n ** 40n - 1n;

export const UNOWNED: NodeOwner = { kind: 'none' };

/** What a stat shows as `ephemeralOwner`: clients are not told of containers and times to live. */
export function ephemeralOwnerOf(owner: NodeOwner): bigint {
  return owner.kind === 'session' ? owner.sessionId : 0n;
}
