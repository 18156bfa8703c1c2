import { it } from 'vitest';
import { openWorker } from '../support/locks.js';
import { openLinkedEnsemble } from '../support/open-servers.js';
import { toldBeforeGrant } from '../support/contest.js';

/**
 * A leader that has lost its followers without hearing of it goes on answering `sync` for
 * `syncLimit × tickTime`, here ten seconds, while the others elect a new one that ends the sessions.
 */
it('tells the holder on a leader without a quorum before the lock is given to another process', async () => {
  const ensemble = await openLinkedEnsemble();
  const leader = await ensemble.servers.leader();
  const followers = await ensemble.servers.followers();
  const session = { sessionTimeoutMs: 2_000, tickTimeMs: 500 };
  const holder = await openWorker({ ...session, servers: leader.connectString });
  const waiter = await openWorker({
    ...session,
    servers: followers.map(({ connectString }) => connectString).join(','),
  });
  const held = await holder.acquire('k');
  const waiting = waiter.acquire('k');

  await ensemble.depose(leader);
  await toldBeforeGrant(holder, held, waiting);
}, 60_000);
