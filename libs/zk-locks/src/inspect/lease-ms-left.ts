import type { LockSession, Session } from 'zk-client/recipes';

/**
 * How long, in milliseconds, a process that depends on locks can go on without another answer of
 * ZooKeeper before other processes may get the locks.
 */
export function leaseMsLeft({ session }: { readonly session: LockSession }): number {
  return (session as Session).leaseMsLeft;
}
