import type { LockTree } from 'zk-locks/inspect';
import { warn } from '../output/say.js';

/**
 * Reports when the connection is lost and when it is back, until the tree is closed. In between, the
 * absence of lines means nothing.
 */
export function tellAway({ session }: LockTree): void {
  let state: 'new' | 'connected' | 'away' = 'new';
  session.onState(({ name }) => {
    if (name === 'connected') {
      if (state === 'away') warn('Connected to ZooKeeper again.');
      state = 'connected';
    } else if (state === 'connected' && name !== 'closed') {
      warn('The connection to ZooKeeper is lost. Changes are printed when it is back.');
      state = 'away';
    }
  });
}
