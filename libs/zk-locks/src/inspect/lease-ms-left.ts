import type { LockSession, Session } from 'zk-client/recipes';

/**
 * How long the locks of a process are certain to be held even if ZooKeeper stops answering, in
 * milliseconds.
 */
export function leaseMsLeft({ session }: { readonly session: LockSession }): number {
  return (session as Session).leaseMsLeft;
}
