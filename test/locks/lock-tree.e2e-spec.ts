import { expect, it, onTestFinished } from 'vitest';
import type { LocksOptions } from 'zk-locks';
import { LockTree, type TreeContender, type TreeKey } from 'zk-locks/inspect';
import { openProxy } from '../support/open-proxy.js';
import { openPlace, openTwo } from '../support/place.js';
import { openSemaphorePlace } from '../support/semaphores.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';

async function openTree(root: string, options: Partial<LocksOptions> = {}) {
  const tree = await LockTree.open({ servers: sharedServer().connectString, root, ...options });
  onTestFinished(() => tree.close());
  let changes = 0;
  tree.onChange(() => changes++);
  const key = async (name = 'k'): Promise<TreeKey | undefined> => (await tree.read()).get(name);
  /** Reads after each change, as those do who look on. */
  const until = async (
    isSo: (key: TreeKey | undefined) => boolean,
    name = 'k',
  ): Promise<TreeKey> => {
    let found = await key(name);
    await waitFor(
      async () => {
        if (changes > 0) {
          changes = 0;
          found = await key(name);
        }
        return isSo(found);
      },
      { what: 'the tree to show it' },
    );
    return found!;
  };
  return { tree, key, until };
}

const labels = (contenders: readonly TreeContender[] = []): unknown[] =>
  contenders.map(({ mode, holder }) => `${mode} ${holder?.label}`);

it('shows who holds each key and who waits, and tells of each change', async () => {
  const { root, locks, others, queued, directory } = await openTwo();
  const { tree, key, until } = await openTree(root);
  expect([...(await tree.read()).keys()]).toEqual([]);

  const first = await locks.acquire('k', { mode: 'read', label: 'first' });
  await until((found) => found?.holders.length === 1);
  const second = await others.acquire('k', { mode: 'read', label: 'second' });
  const third = locks.acquire('k', { label: 'third' });
  await queued(3);
  const found = await until((now) => now?.total === 3);
  expect(found).toMatchObject({ key: 'k', path: directory, kind: 'lock', lastSequence: 2 });
  expect(labels(found.holders)).toEqual(['read first', 'read second']);
  expect(labels(found.waiters)).toEqual(['write third']);
  expect(found.holders[0]).toMatchObject({
    fencingToken: first.fencingToken,
    isEphemeral: true,
    session: expect.stringMatching(/^[0-9a-f]+$/) as string,
  });
  expect(Math.abs(tree.now() - found.holders[1]!.queuedAt.getTime())).toBeLessThan(60_000);

  await locks.revoke('k');
  await until((now) => now?.holders[0]?.holder?.revokedAt !== undefined);
  await first.release();
  await second.release();
  const passed = await until((now) => now?.holders[0]?.mode === 'write');
  expect(labels(passed.holders)).toEqual(['write third']);
  await (await third).release();
  expect((await until((now) => now?.total === 0)).holders).toEqual([]);
  expect(await key()).toBe(await key());
});

it('shows the permits of a semaphore, and who wants how many', async () => {
  const { root, join, queued } = await openSemaphorePlace();
  const [semaphore] = await join(3);
  const { until } = await openTree(root);
  const held = await semaphore.acquire({ take: 2, label: 'two' });
  const waiting = semaphore.acquire({ take: 2, label: 'more' });
  await queued(1);
  const found = await until((now) => (now?.waiters.length ?? 0) > 0);
  expect(found).toMatchObject({ kind: 'semaphore', permits: 3, total: 3 });
  expect(labels(found.holders)).toEqual(['permit two', 'permit two']);
  expect(found.waiters[0]?.holder).toMatchObject({ label: 'more', permits: 2 });
  await held.release();
  await (await waiting).release();
});

it('shows keys as their own nodes tell, whatever the dialect', async () => {
  const { root, inspector } = await openPlace();
  const theirs = {
    kazoo: '0d0b2f5e8a514f6e9a531f1f4b0c0001__lock__',
    mutex: '_c_0d0b2f5e-8a51-4f6e-9a53-1f1f4b0c0001-lock-',
  };
  await inspector.create(root);
  for (const [key, name] of Object.entries(theirs)) {
    await inspector.create(`${root}/${key}`);
    await inspector.create(`${root}/${key}/${name}`, '192.168.0.7', 'ephemeralSequential');
  }
  await inspector.create(`${root}/mutex/notes`, 'x');
  await inspector.create(`${root}/one`);
  const one = await inspector.create(`${root}/one/lock`, 'by hand', 'persistent');
  const { key } = await openTree(root);
  expect(await key('kazoo')).toMatchObject({
    ...{ kind: 'lock', dialects: ['kazoo'], strangers: [] },
    holders: [{ mode: 'write', holder: undefined, text: '192.168.0.7' }],
  });
  expect(await key('mutex')).toMatchObject({ dialects: ['curator-mutex'], strangers: ['notes'] });
  expect(await key('one')).toMatchObject({
    ...{ kind: 'single-node', lastSequence: undefined },
    holders: [{ node: 'lock', isEphemeral: false, session: undefined, text: 'by hand' }],
  });
  await inspector.delete(one);
});

it('shows the latest run of a job, also where its lock is gone', async () => {
  const { root, locks, inspector } = await openTwo({ client: 'wire' });
  onTestFinished(() => inspector.deleteTree(`${root}-runs`));
  const { until } = await openTree(root);
  await locks.runAtMostEvery('k', 60_000, () => undefined);
  const found = await until((now) => now?.lastRun?.outcome === 'done');
  expect(found.lastRun).toMatchObject({ pid: process.pid });
  await waitFor(async () => (await until((now) => now?.total === 0)).lastRun !== undefined, {
    what: 'the run to stay',
  });
});

it('names calls that wait for each other in a circle', async () => {
  const { root, locks, others } = await openTwo();
  const { tree, until } = await openTree(root);
  const giveUp = new AbortController();
  let entered = 0;
  const both = async (own: typeof locks, outer: string, inner: string): Promise<void> => {
    await own.withLock(outer, async () => {
      entered++;
      await waitFor(() => entered === 2, { what: 'both to be inside' });
      await own.withLock(inner, { signal: giveUp.signal }, () => undefined);
    });
  };
  const waiting = [both(locks, 'a', 'b'), both(others, 'b', 'a')];
  await until((now) => now?.waiters.length === 1, 'a');
  await until((now) => now?.waiters.length === 1, 'b');
  const [deadlock, ...more] = tree.deadlocks().deadlocks;
  expect(more).toEqual([]);
  expect(deadlock?.map(({ holds, waitsFor }) => `${holds} ${waitsFor}`).sort()).toEqual([
    'a b',
    'b a',
  ]);
  giveUp.abort();
  await Promise.allSettled(waiting);
  await until((now) => now?.total === 0, 'a');
  expect(tree.deadlocks()).toEqual({ deadlocks: [] });
});

it('goes on over connections, and has seen what happened meanwhile', async () => {
  const { root, locks } = await openTwo();
  const proxy = await openProxy();
  const { tree, key, until } = await openTree(root, { servers: proxy.connectString });
  const held = await locks.acquire('k');
  await until((now) => now?.holders.length === 1);
  await proxy.refuse();
  await proxy.cut();
  await waitFor(() => tree.session.snapshot.state.name === 'suspended', { what: 'the cut' });
  await held.release();
  await proxy.accept();
  await until((now) => now?.total === 0);
  expect(await key()).toMatchObject({ holders: [] });
});

it('is refused where no server answers in time', async () => {
  const proxy = await openProxy();
  await proxy.refuse();
  const { root } = await openPlace();
  const options = { servers: proxy.connectString, root, connectTimeoutMs: 300 };
  await expect(LockTree.open(options)).rejects.toMatchObject({ code: 'ZK_UNAVAILABLE' });
});
