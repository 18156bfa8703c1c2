import type { ACL, Stat } from 'zk-protocol';
import { ephemeralOwnerOf, type NodeOwner } from './node-owner.js';

export interface Znode {
  readonly path: string;
  readonly owner: NodeOwner;
  readonly czxid: bigint;
  /** In milliseconds since 1970, as {@link mtime}. */
  readonly ctime: number;
  data: Buffer | null;
  acl: readonly ACL[];
  mzxid: bigint;
  mtime: number;
  pzxid: bigint;
  version: number;
  aversion: number;
  /**
   * How many children were ever created here, which is the next sequence number. Stays at
   * 2147483647.
   */
  childrenCreated: number;
  children: Set<string>;
}

/**
 * Whether a container has lost its last child, or the time of a node with a TTL is over. A container
 * that never had a child stays.
 *
 * @param now in milliseconds since 1970
 */
export function isOver({ owner, children, childrenCreated, mtime }: Znode, now: number): boolean {
  if (children.size > 0) return false;
  return owner.kind === 'ttl' ? now - mtime > owner.ttlMs : childrenCreated !== 0;
}

export function statOf(node: Znode): Stat {
  const numChildren = node.children.size;
  return {
    czxid: node.czxid,
    mzxid: node.mzxid,
    ctime: BigInt(node.ctime),
    mtime: BigInt(node.mtime),
    version: node.version,
    // Creations and deletions both change the list of children; each deleted child was created
    // before.
    cversion: (Math.imul(2, node.childrenCreated) - numChildren) | 0,
    aversion: node.aversion,
    ephemeralOwner: ephemeralOwnerOf(node.owner),
    dataLength: node.data?.length ?? 0,
    numChildren,
    pzxid: node.pzxid,
  };
}
