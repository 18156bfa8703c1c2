import { expect, it } from 'vitest';
import { LINK_FREEZES } from '../support/link-freezes.js';
import { openWorker, ownRoot } from '../support/locks.js';
import { toldBeforeGrant } from '../support/contest.js';
import { openProxy } from '../support/open-proxy.js';

const session = { sessionTimeoutMs: 1_000, tickTimeMs: 500 };

it.each(LINK_FREEZES)(
  'tells a holder that is cut off in $name before the lock is given to another process',
  async ({ freeze }) => {
    const root = ownRoot();
    const proxy = await openProxy();
    const holder = await openWorker({ ...session, root, servers: proxy.connectString });
    const waiter = await openWorker({ ...session, root });
    const held = await holder.acquire('k');
    const waiting = waiter.acquire('k');
    await freeze(proxy);
    expect(await toldBeforeGrant(holder, held, waiting)).toBeGreaterThan(0);
    await proxy.thaw();
    await waiter.release((await waiting).lock);
    await holder.release(held.lock);
  },
  60_000,
);
