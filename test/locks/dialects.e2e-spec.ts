import { describe, expect, it } from 'vitest';
import { DIALECT_NAMES, type DialectName } from '../../libs/zk-locks/src/queue/dialect.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { lockNodes, openInspector, openLocks, ownRoot, shortSession } from '../support/locks.js';
import { sharedServer } from '../support/shared-server.js';

const SHAPE: Record<DialectName, RegExp> = {
  'curator-rw': /^_c_[0-9a-f-]{36}-__WRIT__0000000000$/,
  'curator-mutex': /^_c_[0-9a-f-]{36}-lock-0000000000$/,
  kazoo: /^[0-9a-f]{32}__lock__0000000000$/,
};

describe.each(DIALECT_NAMES)('in the dialect %s', (dialect) => {
  it('writes the node names of that library, and data that say who it is', async () => {
    const root = ownRoot();
    const inspector = await openInspector();
    const locks = await openLocks({ root, dialect, application: 'billing' });
    await using _lock = await locks.acquire('k', { label: 'month end' });
    const [name] = await lockNodes(inspector, `${root}/k`);
    expect(name).toMatch(SHAPE[dialect]);
    const { data } = await inspector.get(`${root}/k/${name!}`);
    expect(JSON.parse(data.toString())).toMatchObject({
      pid: process.pid,
      application: 'billing',
      label: 'month end',
    });
  });

  it('excludes, and lets in one after the other', async () => {
    const root = ownRoot();
    const managers = [await openLocks({ root, dialect }), await openLocks({ root, dialect })];
    let inside = 0;
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        managers[index % 2]!.withLock('k', async (lock) => {
          expect(++inside).toBe(1);
          await new Promise((resolve) => setImmediate(resolve));
          order.push(Number(lock.fencingToken));
          inside--;
        }),
      ),
    );
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  it('finds its node again when the answer to its creation is lost', async () => {
    const root = ownRoot();
    const proxy = await FaultProxy.start(sharedServer().port);
    try {
      const servers = proxy.connectString;
      const locks = await openLocks({ ...shortSession, root, dialect, servers });
      await locks.withLock('k', () => undefined);
      const inspector = await openInspector();
      const loss = await proxy.loseNextReply('create');
      await using _lock = await locks.acquire('k');
      await loss.happened;
      expect(await lockNodes(inspector, `${root}/k`)).toHaveLength(1);
    } finally {
      await proxy.stop();
    }
  });
});

it('lets readers in together and keeps writers out, in the dialect of kazoo', async () => {
  const root = ownRoot();
  const locks = await openLocks({ root, dialect: 'kazoo' });
  await using _one = await locks.acquire('k', { mode: 'read' });
  const other = await openLocks({ root, dialect: 'kazoo' });
  await using two = await other.tryAcquire('k', { mode: 'read' });
  expect(two?.isHeld).toBe(true);
  expect(await other.tryAcquire('k')).toBeNull();
});

it('has no read locks in the dialect of a mutex, and says where there are some', async () => {
  const locks = await openLocks({ root: ownRoot(), dialect: 'curator-mutex' });
  const refused = locks.acquire('k', { mode: 'read' });
  await expect(refused).rejects.toMatchObject({ code: 'ZK_LOCK_CONFIG' });
  await expect(refused).rejects.toThrow("'curator-rw' or 'kazoo'");
});

it('refuses a directory of another dialect, naming a node and the setting, and leaves nothing', async () => {
  const root = ownRoot();
  const inspector = await openInspector();
  const theirs = await openLocks({ root, dialect: 'kazoo' });
  const ours = await openLocks({ root });
  await using _lock = await theirs.acquire('k');
  const [name] = await lockNodes(inspector, `${root}/k`);
  const refused = ours.acquire('k', { timeoutMs: 5_000 });
  await expect(refused).rejects.toMatchObject({ code: 'LOCK_DIRECTORY_FOREIGN' });
  await expect(refused).rejects.toThrow(name);
  await expect(refused).rejects.toThrow("set `dialect: 'kazoo'`");
  await expect.poll(() => lockNodes(inspector, `${root}/k`)).toEqual([name]);
});

it.each([
  ['dialect', 'redis'],
  ['application', ''],
  ['application', 'x'.repeat(201)],
])('refuses %s: %j', async (option, value) => {
  await expect(openLocks({ [option]: value })).rejects.toThrow(`\`${option}\``);
});

it.each(['', 'x'.repeat(201), 7])('refuses the label %j', async (label) => {
  const locks = await openLocks({ root: ownRoot() });
  await expect(locks.acquire('k', { label: label as string })).rejects.toThrow('`label`');
});
