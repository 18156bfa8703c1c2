import { expect, it } from 'vitest';
import { openWorker } from '../support/locks.js';
import { openLinkedEnsemble } from '../support/open-servers.js';
import { toldBeforeGrant } from '../support/contest.js';

const tick = { tickTimeMs: 500 };

/**
 * A follower that is cut off from its leader goes on answering pings and reads for
 * `syncLimit × tickTime`, here ten seconds, while the leader ends the sessions of its clients after
 * their own timeout. A client that takes those answers for a sign of life holds on to a lock that
 * another has.
 */
async function open() {
  const ensemble = await openLinkedEnsemble();
  const [first, second] = await ensemble.servers.followers();
  if (!first || !second) throw new Error('the ensemble has no two followers');
  return { ensemble, leader: await ensemble.servers.leader(), first, second };
}

it('tells the holder on a cut-off follower before the lock is given to another process', async () => {
  const { ensemble, leader, first } = await open();
  const session = { ...tick, sessionTimeoutMs: 2_000 };
  const holder = await openWorker({ ...session, servers: first.connectString });
  const waiter = await openWorker({ ...session, servers: leader.connectString });
  const held = await holder.acquire('k');
  const waiting = waiter.acquire('k');

  await ensemble.freezeLinksFrom(first);
  await toldBeforeGrant(holder, held, waiting);
  expect(await first.mode()).toBe('follower');
}, 60_000);
