import { expect, it } from 'vitest';
import { openWorker, ownRoot } from '../support/locks.js';
import { toldBeforeGrant } from '../support/contest.js';
import { openProxy } from '../support/open-proxy.js';

const session = { sessionTimeoutMs: 1_000, tickTimeMs: 500 };

it.each([
  ['in both directions', ['client', 'server']],
  ['towards the client', ['client']],
  ['towards the server', ['server']],
] as const)(
  'tells a holder that is cut off %s before the lock is given to another process',
  async (_, ends) => {
    const root = ownRoot();
    const proxy = await openProxy();
    const holder = await openWorker({ ...session, root, servers: proxy.connectString });
    const waiter = await openWorker({ ...session, root });
    const held = await holder.acquire('k');
    const waiting = waiter.acquire('k');
    await Promise.all(ends.map((end) => proxy.freezeTowards(end)));
    expect(await toldBeforeGrant(holder, held, waiting)).toBeGreaterThan(0);
    await proxy.thaw();
    await waiter.release((await waiting).lock);
    await holder.release(held.lock);
  },
  60_000,
);
