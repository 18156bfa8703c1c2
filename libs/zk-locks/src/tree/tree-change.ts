import { join } from 'zk-client/recipes';
import { semaphorePathsOf } from '../lock/key-path.js';
import type { Breaker } from '../lock/holder.js';
import { isLockNode } from '../nodes/dialect.js';
import type { TreeContender, TreeKey } from './tree-key.js';

/** A key before and after it was read again. */
export interface TreeChange {
  readonly key: string;
  /** Undefined if the key was not known. */
  readonly before: TreeKey | undefined;
  /** Undefined if the key no longer exists. */
  readonly after: TreeKey | undefined;
  /** When it was read, by the clock of ZooKeeper, in milliseconds. */
  readonly seenAt: number;
  /** Whether changes may have been missed since `before`: a first look, or a new connection. */
  readonly hasGap: boolean;
  /** When a watch reported the latest change of a node, by the same clock; {@link seenAt} if that is unknown. */
  toldAt(contender: TreeContender): number;
  /** The process that took the lock away from a contender of `before`, if its node named one. */
  brokenBy(contender: TreeContender): Breaker | undefined;
}

/** Identifies a contender of a key, even after a downgrade or an upgrade, which gives it another node. */
export function contenderId({ session = '', fencingToken, mode, node }: TreeContender): string {
  return mode === 'permit' ? node : `${session} ${fencingToken}`;
}

export function contenderPath({ kind, path }: TreeKey, { node }: TreeContender): string {
  if (kind !== 'semaphore') return join(path, node);
  const { queue, leases } = semaphorePathsOf(path);
  return join(isLockNode(node) ? queue : leases, node);
}

/** The same change, with the time at which each holder got the lock, if that was seen. */
export function withHeldSince(change: TreeChange): TreeChange {
  const { before, after, hasGap } = change;
  if (!after || after.holders.length === 0) return change;
  const held = new Map(before?.holders.map((one) => [contenderId(one), one]));
  const present = new Set(after.holders.map(contenderId));
  const gone = before?.holders.filter((one) => !present.has(contenderId(one))) ?? [];
  const freeAt = Math.max(...gone.map((one) => change.toldAt(one)), 0);
  const waited = new Set(before?.waiters.map(contenderId));
  const since = (one: TreeContender): Date | undefined => {
    const id = contenderId(one);
    const known = held.get(id);
    if (known) return known.heldSince;
    if (hasGap) return undefined;
    // It was not seen who was in the way.
    if (waited.has(id) && freeAt === 0) return new Date(change.seenAt);
    return new Date(Math.max(one.queuedAt.getTime(), freeAt));
  };
  const holders = after.holders.map((one) => {
    const heldSince = since(one);
    return heldSince ? { ...one, heldSince } : one;
  });
  return { ...change, after: { ...after, holders } };
}
