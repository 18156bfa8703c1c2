import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EmbeddedZooKeeper } from 'zk-embedded';
import type { Lock } from 'nestjs-zk-lock';
import type { DialectName } from '../../libs/zk-lock/src/locks/queue/dialect.js';
import { LockManager } from '../../libs/zk-lock/src/locks/lock-manager.js';
import { openPlace } from '../interop/support/place.js';
import { openLocks } from '../support/locks.js';
import { waitFor } from '../support/wait-for.js';

const NAMES: Record<DialectName, (sequence: string) => string> = {
  'curator-rw': (sequence) => `_c_${randomUUID()}-__WRIT__${sequence}`,
  'curator-mutex': (sequence) => `_c_${randomUUID()}-lock-${sequence}`,
  kazoo: (sequence) => `${randomUUID().replaceAll('-', '')}__lock__${sequence}`,
};
const dialects = Object.keys(NAMES) as DialectName[];

describe('nodes made by hand around the wrap of the counter', () => {
  it.each(dialects)('are shown in the order of their creation (%s)', async (dialect) => {
    const { root, directory, inspector } = await openPlace();
    const locks = await openLocks({ root, dialect });
    const names = ['2147483646', '2147483647', '-2147483648', '-2147483647'].map(NAMES[dialect]);
    await inspector.create(root);
    await inspector.create(directory);
    for (const name of names.toReversed()) await inspector.create(`${directory}/${name}`);
    const { holders, waiters } = await locks.inspect('k');
    expect([...holders, ...waiters].map(({ node }) => node)).toEqual(names);
    for (const name of names) await inspector.delete(`${directory}/${name}`);
  });

  it.each(dialects)('with short negative numbers come before 0 (%s)', async (dialect) => {
    const { root, directory, inspector } = await openPlace();
    const locks = await openLocks({ root, dialect });
    await inspector.create(root);
    await inspector.create(directory);
    const path = `${directory}/${NAMES[dialect]('-000000005')}`;
    await inspector.create(path);
    expect(await locks.tryAcquire('k')).toBeNull();
    const waiting = locks.acquire('k');
    await waitFor(async () => (await locks.inspect('k')).waiters.length === 1, {
      what: 'our node',
    });
    await inspector.delete(path);
    await (await waiting).release();
  });
});

/** Locks on a server of ours, which can begin to count where a real one would be after years. */
async function openNearWrap(dialect: DialectName, next: number): Promise<LockManager> {
  const zk = await EmbeddedZooKeeper.start();
  onTestFinished(() => zk.stop());
  const locks = new LockManager({ servers: zk.connectString, dialect });
  onTestFinished(() => locks.close());
  await locks.start();
  await (await locks.acquire('k')).release();
  await zk.setNextSequence('/locks/k', next);
  return locks;
}

async function queued(locks: LockManager, total: number): Promise<void> {
  await waitFor(async () => (await locks.inspect('k')).total === total, {
    what: `${total} in the queue`,
  });
}

describe('a queue over the wrap', () => {
  it.each(
    dialects.flatMap((dialect) => [2_147_483_644, -3].map((next) => [dialect, next] as const)),
  )('is served in order (%s, from %i)', async (dialect, next) => {
    const locks = await openNearWrap(dialect, next);
    const holder = await locks.acquire('k');
    const granted: number[] = [];
    const waiters: Promise<Lock>[] = [];
    for (let index = 0; index < 8; index++) {
      waiters.push(locks.acquire('k').finally(() => granted.push(index)));
      await queued(locks, index + 2);
    }
    await holder.release();
    for (const waiter of waiters) await (await waiter).release();
    expect(granted).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it.each(['curator-rw', 'kazoo'] as const)(
    'keeps readers and writers apart (%s)',
    async (dialect) => {
      const locks = await openNearWrap(dialect, 2_147_483_646);
      const first = await locks.acquire('k', { mode: 'read' });
      const order: string[] = [];
      const waiting = [];
      for (const [mode, name] of [
        ['write', 'W1'],
        ['read', 'R2'],
        ['read', 'R3'],
        ['write', 'W4'],
      ] as const) {
        waiting.push(locks.acquire('k', { mode }).finally(() => order.push(name)));
        await queued(locks, waiting.length + 1);
      }
      await first.release();
      const [w1, r2, r3, w4] = waiting;
      await (await w1!).release();
      const readers = [await r2!, await r3!];
      expect(order).toEqual(['W1', 'R2', 'R3']);
      for (const reader of readers) await reader.release();
      await (await w4!).release();
    },
  );

  it.each([2_147_483_647, -5])('downgrades and upgrades in place (from %i)', async (next) => {
    const locks = await openNearWrap('curator-rw', next);
    let writing: Promise<Lock> | undefined;
    const reader = await locks.withLock('k', async () => {
      writing = locks.acquire('k', { reentrant: false });
      await queued(locks, 2);
      return locks.acquire('k', { mode: 'read' });
    });
    expect((await locks.inspect('k')).holders).toMatchObject([{ mode: 'read' }]);
    expect((await locks.inspect('k')).waiters).toMatchObject([{ mode: 'write' }]);
    await reader.release();
    await (await writing!).release();

    const upgradable = await locks.acquireUpgradable('k');
    await (await upgradable.upgrade()).release();
    await upgradable.release();
  });
});
