import { expect, it } from 'vitest';
import type { Semaphore } from '../../libs/zk-locks/src/semaphore/semaphore.js';
import { openSemaphorePlace, type SemaphorePlace } from '../support/semaphores.js';

/** The error of a process that specifies `given` permits while others have agreed on `agreed`. */
const refusal = (agreed: number, given: number) => ({
  code: 'ZK_LOCK_CONFIG',
  option: 'permits',
  message: expect.stringContaining(
    `\`permits\` must be ${agreed} for the semaphore "k", as in other processes; got ${given}. Use one number in all processes.`,
  ) as string,
});

async function open(permits: number) {
  const place = await openSemaphorePlace();
  const [semaphore, locks] = await place.join(permits);
  const other = async (number: number): Promise<Semaphore> => (await place.join(number))[0];
  return { ...place, semaphore, locks, other };
}

/** A semaphore whose directory of leases contains `data` and persists when it is empty. */
async function openLasting(permits: number, data = String(permits)) {
  const place = await open(permits);
  const { inspector, root, directory } = place;
  for (const path of [root, directory]) await inspector.create(path);
  await inspector.create(`${directory}/leases`, data);
  return place;
}

/** The data of the directory of leases. */
async function record({ inspector, directory }: SemaphorePlace): Promise<string> {
  return (await inspector.get(`${directory}/leases`)).data.toString();
}

it('refuses a different number in each call while a permit is held, and writes nothing', async () => {
  const place = await open(4);
  const { semaphore, other, leases, queue } = place;
  const held = await semaphore.acquire({ take: 3 });
  expect(await record(place)).toBe('4');
  const six = await other(6);
  await expect(six.acquire()).rejects.toMatchObject(refusal(4, 6));
  await expect(six.tryAcquire()).rejects.toMatchObject(refusal(4, 6));
  await expect(six.withPermit(() => undefined)).rejects.toMatchObject(refusal(4, 6));
  await expect(six.acquire()).rejects.toThrow('{ sharedCount, seed }');
  expect([...(await leases()), ...(await queue())]).toHaveLength(3);
  await (await (await other(4)).acquire()).release();
  await held.release();
});

it('refuses a different number before the call waits for its turn', async () => {
  const { semaphore, other, queued, leased } = await open(1);
  const holder = await semaphore.acquire();
  const waiting = semaphore.acquire();
  await leased(2);
  await queued(1);
  await expect((await other(2)).acquire({ timeoutMs: Infinity })).rejects.toMatchObject(
    refusal(1, 2),
  );
  await holder.release();
  await (await waiting).release();
});

it('accepts one of two numbers if both are the first at the same time', async () => {
  const { semaphore, other, inspector, directory } = await open(2);
  const three = await other(3);
  for (let round = 0; round < 5; round++) {
    const both = await Promise.allSettled([semaphore.acquire(), three.acquire()]);
    const [permit, ...more] = both.flatMap((each) =>
      each.status === 'fulfilled' ? [each.value] : [],
    );
    expect(more).toEqual([]);
    const [agreed, given] = both[0].status === 'fulfilled' ? [2, 3] : [3, 2];
    const refused = both.find((each) => each.status === 'rejected');
    expect(refused?.reason).toMatchObject(refusal(agreed, given));
    await permit!.release();
    // ZooKeeper does this with a container that has been empty for a while.
    await inspector.deleteTree(directory);
  }
});

it('accepts a different number once the directory of the leases has been removed, and then refuses the old one', async () => {
  const place = await openLasting(4);
  const { semaphore, other, inspector, directory, empty } = place;
  await semaphore.withPermit(() => undefined);
  await inspector.delete(`${directory}/leases`);
  const six = await (await other(6)).acquire();
  expect(await record(place)).toBe('6');
  // This session has read the deleted directory.
  await expect(semaphore.acquire()).rejects.toMatchObject(refusal(6, 4));
  await expect(semaphore.tryAcquire()).rejects.toMatchObject(refusal(6, 4));
  await expect((await other(4)).acquire()).rejects.toMatchObject(refusal(6, 4));
  await six.release();
  await empty();
});

it.each([
  ['nothing, as that which Curator makes', ''],
  ['something else', '4 cards'],
  ['an invalid number of permits', '0'],
])('compares only permits if the directory says %s', async (_, data) => {
  const place = await openLasting(4, data);
  const { semaphore, other } = place;
  const six = await other(6);
  await semaphore.withPermit(() => undefined);
  const permit = await six.acquire();
  await expect(semaphore.acquire()).rejects.toMatchObject(refusal(6, 4));
  await permit.release();
  await semaphore.withPermit(() => undefined);
  expect(await record(place)).toBe(data);
});
