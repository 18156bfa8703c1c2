import { expect, it, onTestFinished, vi } from 'vitest';
import type { Semaphore } from '../../libs/zk-locks/src/semaphore/semaphore.js';
import { openProxy } from '../support/open-proxy.js';
import { reconnect } from '../support/locks.js';
import { openSemaphorePlace, type SemaphorePlace } from '../support/semaphores.js';
import { uniqueRoot } from '../support/shared-server.js';

/** What a process is told that names `given` where others name `agreed`. */
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

/** With a directory of the leases that says `data`, and stays when it is empty. */
async function openLasting(permits: number, data = String(permits)) {
  const place = await open(permits);
  const { inspector, root, directory } = place;
  for (const path of [root, directory]) await inspector.create(path);
  await inspector.create(`${directory}/leases`, data);
  return place;
}

/** What the directory of the leases says. */
async function record({ inspector, directory }: SemaphorePlace): Promise<string> {
  return (await inspector.get(`${directory}/leases`)).data.toString();
}

it('refuses another number in each call beside the permits of a holder, and writes nothing', async () => {
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

it('refuses another number while no permit is taken', async () => {
  const { semaphore, other, empty } = await openLasting(4);
  const six = await other(6);
  await expect(six.acquire()).rejects.toMatchObject(refusal(4, 6));
  await expect(six.tryAcquire()).rejects.toMatchObject(refusal(4, 6));
  await semaphore.withPermit(() => undefined);
  await empty();
});

it('refuses another number before the call waits for its turn', async () => {
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

it('refuses another number in the same process', async () => {
  const { semaphore, locks } = await openLasting(2);
  await semaphore.withPermit(() => undefined);
  const three = locks.semaphore('k', { permits: 3 });
  await expect(three.acquire()).rejects.toMatchObject(refusal(2, 3));
});

it('lets one of two numbers in when both are the first at the same time', async () => {
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
    // As ZooKeeper does with a container that has been empty for a while.
    await inspector.deleteTree(directory);
  }
});

it('takes another number when the directory of the leases was removed, and refuses the old one beside its permits', async () => {
  const place = await openLasting(4);
  const { semaphore, other, inspector, directory, empty } = place;
  await semaphore.withPermit(() => undefined);
  await inspector.delete(`${directory}/leases`);
  const six = await (await other(6)).acquire();
  expect(await record(place)).toBe('6');
  // Its session has read the directory that is gone.
  await expect(semaphore.acquire()).rejects.toMatchObject(refusal(6, 4));
  await expect(semaphore.tryAcquire()).rejects.toMatchObject(refusal(6, 4));
  await expect((await other(4)).acquire()).rejects.toMatchObject(refusal(6, 4));
  await six.release();
  await empty();
});

it('refuses a call whose turn comes after the directory has another number', async () => {
  const { semaphore, inspector, directory, queued, leased } = await openLasting(4);
  await inspector.create(`${directory}/locks`);
  await semaphore.withPermit(() => undefined);
  const guid = '0d0b2f5e-8a51-4f6e-9a53-1f1f4b0c0001';
  const head = await inspector.create(
    `${directory}/locks/_c_${guid}-lock-`,
    '',
    'ephemeralSequential',
  );
  const waiting = semaphore.acquire();
  await queued(2);
  await inspector.delete(`${directory}/leases`);
  await inspector.create(`${directory}/leases`, '6');
  const lease = `${directory}/leases/_c_${guid}-of-6-lease-`;
  const foreign = await inspector.create(lease, '', 'ephemeralSequential');
  const refused = expect(waiting).rejects.toMatchObject(refusal(6, 4));
  await inspector.delete(head);
  await refused;
  await leased(1);
  await inspector.delete(foreign);
});

it('reads the number once in a session', async () => {
  const { other, join, directory } = await openLasting(2);
  const [semaphore, locks] = await join(2);
  const read = vi.spyOn(locks.session, 'get');
  for (let cycle = 0; cycle < 3; cycle++) {
    await (await semaphore.acquire()).release();
    await (await semaphore.tryAcquire())?.release();
  }
  expect(read.mock.calls.filter(([, path]) => path === `${directory}/leases`)).toHaveLength(1);
  await expect((await other(3)).acquire()).rejects.toMatchObject(refusal(2, 3));
});

it('asks again when the answer about the number is lost', async () => {
  const { join, empty } = await openLasting(4);
  const proxy = await openProxy();
  const [six, locks] = await join(6, { servers: proxy.connectString });
  await proxy.freezeTowards('client');
  const refused = expect(six.acquire()).rejects.toMatchObject(refusal(4, 6));
  await proxy.cut();
  await proxy.thaw();
  await refused;
  await reconnect(proxy, locks);
  await expect(six.acquire()).rejects.toMatchObject(refusal(4, 6));
  await empty();
});

it.each([
  ['nothing, as that which Curator makes', ''],
  ['something else', '4 cards'],
  ['an invalid number of permits', '0'],
])('compares permits alone where the directory says %s', async (_, data) => {
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

it('changes from a fixed number to another one by a shared count, process by process', async () => {
  const { semaphore: fixed, locks: old, join, inspector, leased } = await open(2);
  const sharedCount = `${uniqueRoot()}-count`;
  onTestFinished(() => inspector.deleteTree(sharedCount));
  const [shared] = await join({ sharedCount, seed: 2 });
  const [first, second] = [await fixed.acquire(), await shared.acquire()];
  // Each counts the permits of the other.
  expect(await fixed.tryAcquire()).toBeNull();
  expect(await shared.tryAcquire()).toBeNull();
  await first.release();
  await old.close();
  await shared.setPermits(3);
  const more = await shared.acquire({ take: 2 });
  await leased(3);
  await more.release();
  await second.release();
});
