import { it } from 'vitest';
import { briefSession, openWorker, ownRoot } from '../support/locks.js';
import { toldBeforeGrant } from '../support/contest.js';
import { openProxy } from '../support/open-proxy.js';

/** The directions in which the connection is silent. */
const FREEZES = [['client', 'server'], ['client'], ['server']] as const;

it('tells a holder that is cut off, in one direction or in both, before the lock is given to another process', async () => {
  const root = ownRoot();
  const waiter = await openWorker({ ...briefSession, root });
  const opening = FREEZES.map(async (ends) => {
    const proxy = await openProxy();
    const holder = await openWorker({ ...briefSession, root, servers: proxy.connectString });
    return { ends, proxy, holder };
  });
  await Promise.all(
    (await Promise.all(opening)).map(async ({ ends, proxy, holder }) => {
      const key = ends.join();
      const held = await holder.acquire(key);
      const waiting = waiter.acquire(key);
      await Promise.all(ends.map((end) => proxy.freezeTowards(end)));
      await toldBeforeGrant(holder, held, waiting);
      await proxy.thaw();
      await waiter.release((await waiting).lock);
      await holder.release(held.lock);
    }),
  );
});
