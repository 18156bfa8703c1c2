import { describe, expect, it } from 'vitest';
import { DIALECT_NAMES, type DialectName } from '../../libs/zk-locks/src/queue/dialect.js';
import { expectRising, openLocks, ownRoot, shortSession } from '../support/locks.js';
import { openBehindProxy, openTwo } from '../support/place.js';

const SHAPE: Record<DialectName, RegExp> = {
  'curator-rw': /^_c_[0-9a-f-]{36}-__WRIT__0000000000$/,
  'curator-mutex': /^_c_[0-9a-f-]{36}-lock-0000000000$/,
  kazoo: /^[0-9a-f]{32}__lock__0000000000$/,
};

describe.each(DIALECT_NAMES)('in the dialect %s', (dialect) => {
  it('writes the node names of that library, and data that say who it is', async () => {
    const { locks, queue, inspector, directory } = await openTwo({
      ...{ dialect, application: 'billing' },
    });
    await using _lock = await locks.acquire('k', { label: 'month end' });
    const [name = ''] = await queue();
    expect(name).toMatch(SHAPE[dialect]);
    const { data } = await inspector.get(`${directory}/${name}`);
    const holder = { pid: process.pid, application: 'billing', label: 'month end' };
    expect(JSON.parse(data.toString())).toMatchObject(holder);
  });

  it('excludes, and lets in one after the other', async () => {
    const { locks, others } = await openTwo({ dialect });
    let inside = 0;
    const tokens: bigint[] = [];
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 ? locks : others).withLock('k', async (lock) => {
          expect(++inside).toBe(1);
          await new Promise((resolve) => setImmediate(resolve));
          tokens.push(lock.fencingToken);
          inside--;
        }),
      ),
    );
    expectRising(tokens);
  });

  it('finds its node again when the answer to its creation is lost', async () => {
    const { proxy, locks, queue } = await openBehindProxy({ ...shortSession, dialect });
    await locks.withLock('k', () => undefined);
    const loss = await proxy.loseNextReply('create');
    await using _lock = await locks.acquire('k');
    await loss.happened;
    expect(await queue()).toHaveLength(1);
  });
});

it('lets readers in together and keeps writers out, in the dialect of kazoo', async () => {
  const { locks, others } = await openTwo({ dialect: 'kazoo' });
  await using _one = await locks.acquire('k', { mode: 'read' });
  await using two = await others.tryAcquire('k', { mode: 'read' });
  expect(two?.isHeld).toBe(true);
  expect(await others.tryAcquire('k')).toBeNull();
});

it('has no read locks in the dialect of a mutex, and says where there are some', async () => {
  const locks = await openLocks({ root: ownRoot(), dialect: 'curator-mutex' });
  const refused = locks.acquire('k', { mode: 'read' });
  await expect(refused).rejects.toMatchObject({ code: 'ZK_LOCK_CONFIG' });
  await expect(refused).rejects.toThrow("'curator-rw' or 'kazoo'");
});

it('refuses a directory of another dialect, naming a node and the setting, and leaves nothing', async () => {
  const { locks, others, open, queue, queued } = await openTwo();
  const theirs = await open({ dialect: 'kazoo' });
  await using _lock = await theirs.acquire('k');
  const [name] = await queue();
  for (const call of [() => locks.acquire('k', { timeoutMs: 5_000 }), () => others.inspect('k')]) {
    const refused = call();
    await expect(refused).rejects.toMatchObject({ code: 'LOCK_DIRECTORY_FOREIGN' });
    await expect(refused).rejects.toThrow(name);
    await expect(refused).rejects.toThrow("set `dialect: 'kazoo'`");
  }
  await queued(1);
  expect(await queue()).toEqual([name]);
});
