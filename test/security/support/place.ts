import type { LocksOptions } from 'zk-locks';
import type { InspectClient } from '../../support/inspect-client.js';
import { openInspector, openLocks, ownRoot, type TestLocks } from '../../support/locks.js';
import { Outsiders } from './outsiders.js';

export const credentials = { username: 'billing', password: 'opensesame-7391' };
export const digest = `${credentials.username}:${credentials.password}`;

/** A root for one user and for this test alone, with clients of that user and of others. */
export interface RestrictedPlace {
  readonly root: string;
  /** A client with the user's credentials. */
  readonly insider: InspectClient;
  readonly outsiders: Outsiders;
  open(options?: Partial<LocksOptions>): Promise<TestLocks>;
}

export async function openRestrictedPlace(): Promise<RestrictedPlace> {
  const root = ownRoot(digest);
  const insider = await openInspector();
  await insider.withAuth('digest', digest);
  return {
    root,
    insider,
    outsiders: await Outsiders.open(insider),
    open: (options) => openLocks({ root, credentials, ...options }),
  };
}
