import { randomUUID } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import type { Contender } from 'zk-locks';
import { LockRevokedError } from '../../libs/zk-locks/src/lock/lock-errors.js';
import type { Lock } from '../../libs/zk-locks/src/lock/lock.js';
import { holdReads } from '../support/hold-reads.js';
import { lossOf, openLocks } from '../support/locks.js';
import { openLastingPlace, openTwo } from '../support/place.js';
import { waitFor } from '../support/wait-for.js';

/** Resolves once the holder is told that the lock is wanted. */
async function untilAsked({ revoked }: Pick<Lock, 'revoked'>): Promise<void> {
  await waitFor(() => revoked.aborted, { what: 'the request' });
}

it('tells the holder, which decides when to release the lock', async () => {
  const { locks, others } = await openTwo();
  const lock = await locks.acquire('k');
  expect(await others.revoke('k')).toBe(1);
  await untilAsked(lock);
  expect(lock.revoked.reason).toBeInstanceOf(LockRevokedError);
  expect(lock.revoked.reason).toMatchObject({ code: 'LOCK_REVOKED', key: 'k', mode: 'write' });
  expect(lock.isHeld).toBe(true);
  expect(lock.signal.aborted).toBe(false);
  expect(await others.tryAcquire('k')).toBeNull();

  await lock.release();
  await (await others.acquire('k')).release();
});

it('asks a holder of which the server of the call has not heard yet', async () => {
  const { locks, others } = await openTwo();
  const { session } = others;
  const sync = session.sync.bind(session);
  let lock: Lock | undefined;
  vi.spyOn(session, 'sync').mockImplementation(async (...request) => {
    lock ??= await locks.acquire('k');
    return sync(...request);
  });
  expect(await others.revoke('k')).toBe(1);
  await untilAsked(lock!);
  await lock!.release();
});

it('asks all readers, but no waiters', async () => {
  const { locks, others, queued } = await openTwo();
  const readers = await Promise.all(
    [locks, others].map((one) => one.acquire('k', { mode: 'read' })),
  );
  const waiting = locks.acquire('k');
  await queued(3);
  expect(await locks.revoke('k')).toBe(2);
  await Promise.all(readers.map(untilAsked));
  for (const reader of readers) await reader.release();
  const writer = await waiting;
  expect(writer.revoked.aborted).toBe(false);

  // Each holding is asked separately.
  expect(await others.revoke('k')).toBe(1);
  await untilAsked(writer);
  await writer.release();
});

it('reaches a caller at the grant if it was asked while it waited', async () => {
  const { locks, inspector, directory, queue, queued } = await openTwo();
  const holder = await locks.acquire('k');
  const reads = vi.spyOn(locks.session, 'get');
  const waiting = locks.acquire('k');
  await queued(2);
  const path = `${directory}/${(await queue())[1]!}`;
  const count = (): number => reads.mock.calls.filter(([, at]) => at === path).length;
  const untilReadAgain = async (before: number): Promise<void> => {
    await waitFor(() => count() > before, { what: 'the waiting node to be read' });
    await Promise.all(reads.mock.results.map(({ value }) => value as Promise<unknown>));
  };
  await untilReadAgain(0);
  const before = count();
  // Curator's Revoker does this with any path that it is given.
  await inspector.set(path, '__REVOKE__');
  await untilReadAgain(before);
  await holder.release();
  const lock = await waiting;
  expect(lock.revoked.aborted).toBe(true);
  await lock.release();
});

it('reaches nested locks and any of several that are held together', async () => {
  const { locks } = await openTwo();
  await locks.withLock('k', async (outer) => {
    await using inner = await locks.acquire('k', { mode: 'read' });
    await locks.revoke('k');
    await Promise.all([inner, outer].map(untilAsked));
  });
  await locks.withLocks(['a', 'b'], {}, async (both) => {
    await locks.revoke('b');
    await untilAsked(both);
    expect(both.revoked.reason).toMatchObject({ key: 'b' });
    expect(locks.currentLock('a').revoked.aborted).toBe(true);
    expect(both.locks[0]!.revoked.aborted).toBe(false);
  });
});

const guid = randomUUID();
const hex = guid.replaceAll('-', '');
const DEAF = [
  ['made by hand', 'curator-rw', `_c_${guid}-__WRIT__0000000000`, 'persistent'],
  ['made by hand for readers', 'curator-rw', `_c_${guid}-__READ__0000000000`, 'persistent'],
  ['of go-zk', 'curator-mutex', `_c_${hex}-lock-0000000000`, 'ephemeral'],
  ['of kazoo beside Curator', 'curator-mutex', `${hex}-lock-0000000000`, 'ephemeral'],
  ['of kazoo', 'kazoo', `${hex}__lock__0000000000`, 'ephemeral'],
] as const;

it.each(DEAF)(
  'leaves a node %s as it is, and does not count it',
  async (_, dialect, name, kind) => {
    const { inspector, directory, open } = await openLastingPlace();
    const locks = await open({ dialect });
    const path = `${directory}/${name}`;
    for (const data of ['Maintenance until noon. Anna', '']) {
      await inspector.create(path, data, kind);
      expect(await locks.revoke('k')).toBe(0);
      expect((await inspector.get(path)).data.toString()).toBe(data);
      await inspector.delete(path);
    }
  },
);

it.each(['curator-rw', 'curator-mutex'] as const)(
  'asks holders of Curator in the dialect %s, whatever their nodes say',
  async (dialect) => {
    const { inspector, directory, open } = await openLastingPlace();
    const locks = await open({ dialect });
    const name = dialect === 'curator-rw' ? '__WRIT__' : 'lock-';
    const path = `${directory}/_c_${guid}-${name}0000000000`;
    for (const data of ['192.168.7.1', '', 'data of its own']) {
      await inspector.create(path, data, 'ephemeral');
      expect(await locks.revoke('k')).toBe(1);
      expect((await inspector.get(path)).data.toString()).toBe('__REVOKE__');
      await inspector.delete(path);
    }
  },
);

it('does not undo a break by another operator at the same moment', async () => {
  const { root, locks, others, inspector, directory } = await openTwo();
  const breaker = await openLocks({ root });
  const lock = await locks.acquire('k');
  const [{ node, fencingToken: token }] = (await breaker.inspect('k')).holders as [Contender];
  const held = holdReads(locks, (path) => path.startsWith(directory));
  const set = others.session.set.bind(others.session);
  let breaking: Promise<unknown> | undefined;
  vi.spyOn(others.session, 'set').mockImplementation(async (...args) => {
    // Starts once the node has been read.
    breaking ??= breaker.breakLock('k', { node, token });
    const isBroken = async (): Promise<boolean> =>
      (await inspector.get(`${directory}/${node}`)).data.includes('brokenBy');
    await waitFor(isBroken, { what: 'the lock to be broken' });
    return set(...args);
  });
  expect(await others.revoke('k')).toBe(1);
  held.letGo();
  expect(await lossOf(lock)).toMatchObject({ reason: 'broken', brokenBy: { pid: process.pid } });
  await breaking;
  expect(lock.revoked.aborted).toBe(false);
});
