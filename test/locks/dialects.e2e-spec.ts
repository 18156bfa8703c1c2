import { describe, expect, it } from 'vitest';
import { DIALECT_NAMES, type DialectName } from '../../libs/zk-locks/src/nodes/dialect.js';
import { openLocks, ownRoot } from '../support/locks.js';
import { openTwo } from '../support/place.js';

const SHAPE: Record<DialectName, RegExp> = {
  'curator-rw': /^_c_[0-9a-f-]{36}-__WRIT__0000000000$/,
  'curator-mutex': /^_c_[0-9a-f-]{36}-lock-0000000000$/,
  kazoo: /^[0-9a-f]{32}__lock__0000000000$/,
  'single-node': /^lock$/,
};

describe.each(DIALECT_NAMES)('in the dialect %s', (dialect) => {
  it('writes the node names of that library, and data that say who it is', async () => {
    const { locks, queue, inspector, directory } = await openTwo({
      ...{ dialect, application: 'billing' },
      // npm `zookeeper` has no transactions.
      ...(dialect === 'single-node' && { client: 'wire' as const }),
    });
    await using _lock = await locks.acquire('k', { label: 'month end' });
    const [name = ''] = await queue();
    expect(name).toMatch(SHAPE[dialect]);
    const { data } = await inspector.get(`${directory}/${name}`);
    const holder = { pid: process.pid, application: 'billing', label: 'month end' };
    expect(JSON.parse(data.toString())).toMatchObject(holder);
  });
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
