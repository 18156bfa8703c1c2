import { expect, it, onTestFinished } from 'vitest';
import { startKazoo } from '../interop/support/start.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';
import { digest, openRestrictedPlace } from './support/place.js';

it.each(['kazoo', 'ours'])(
  'shares locks with kazoo of the same user, in a root of %s',
  async (first) => {
    const { root, insider, outsiders, open: openLocks } = await openRestrictedPlace();
    const kazoo = await startKazoo(sharedServer().connectString, 10_000, digest);
    onTestFinished(() => kazoo.stop());
    const locks = await openLocks({ dialect: 'kazoo' });
    const take = {
      kazoo: () => kazoo.acquire('lock', `${root}/k`),
      ours: () => locks.acquire('k'),
    };
    const [a, b] = first === 'kazoo' ? [take.kazoo, take.ours] : [take.ours, take.kazoo];
    const held = await a();
    const waiting = b();
    await waitFor(async () => (await insider.children(`${root}/k`)).length === 2, {
      what: 'both in the queue',
    });
    await waitFor(async () => (await locks.inspect('k')).waiters.length === 1, {
      what: 'a waiter',
    });
    expect(await outsiders.deedsBelow(root)).toEqual([]);
    await held.release();
    await (await waiting).release();
  },
);
