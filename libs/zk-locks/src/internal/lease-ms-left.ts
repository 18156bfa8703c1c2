import type { Locks } from '../locks.js';
import type { Session } from 'zk-client/recipes';

/**
 * How long a process that depends on locks may go on without another answer of ZooKeeper, in
 * milliseconds: until other processes may get them.
 */
export function leaseMsLeft({ session }: Locks): number {
  return (session as Session).leaseMsLeft;
}
