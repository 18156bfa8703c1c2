import { it } from 'vitest';
import { FaultProxy } from '../support/fault-proxy.js';
import { LINK_FREEZES } from '../support/link-freezes.js';
import { openWorker, ownRoot } from '../support/locks.js';
import { toldBeforeGrant } from '../support/contest.js';
import { openProxy } from '../support/open-proxy.js';

const ROUNDS = 3;
const session = { sessionTimeoutMs: 1_000, tickTimeMs: 500 };

/** Cuts a holder off so many times. */
async function freezeHolders(freeze: (proxy: FaultProxy) => Promise<void>): Promise<void> {
  const root = ownRoot();
  const proxy = await openProxy();
  const holder = await openWorker({ ...session, root, servers: proxy.connectString });
  const waiter = await openWorker({ ...session, root });
  for (let round = 0; round < ROUNDS; round++) {
    const held = await holder.acquire('k');
    const waiting = waiter.acquire('k');
    await freeze(proxy);
    await toldBeforeGrant(holder, held, waiting);
    await proxy.thaw();
    await waiter.release((await waiting).lock);
    await holder.release(held.lock);
  }
}

const times = LINK_FREEZES.length * ROUNDS;

it(`tells a cut-off holder before the lock is given to another process, ${times} times of ${times}`, async () => {
  await Promise.all(LINK_FREEZES.map(({ freeze }) => freezeHolders(freeze)));
}, 120_000);
