import type { LockSession, Session } from 'zk-client/recipes';

/**
 * How long a process that depends on locks may go on without another answer of ZooKeeper, in
 * milliseconds: until other processes may get them.
 */
export function leaseMsLeft({ session }: { readonly session: LockSession }): number {
  return (session as Session).leaseMsLeft;
}
