import { expect, it, onTestFinished } from 'vitest';
import { connect } from 'zk-client';
import { LockTree } from 'zk-locks/inspect';
import { openLocks, ownRoot } from '../support/locks.js';
import { sharedServer } from '../support/shared-server.js';
import { open } from '../zk-client/support.js';
import { LyingServer } from './support/lying-server.js';

/** A frame that is longer than the client reads: 64 MiB and one byte. */
const TOO_LONG = Buffer.alloc(4 + 64 * 1_048_576 + 1);
TOO_LONG.writeInt32BE(TOO_LONG.length - 4);

const STRANGER = 'the-node-of-a-stranger';
const KEYS = ['k', 'a', 'b', 'c', 'd'];

const refusal = { code: 'ZK_ANSWER_TOO_LONG', outcome: 'definite' };

/** A directory of keys, and a server on which the list of `k` is too long once `fill` was called. */
async function openFilled() {
  const root = ownRoot();
  const { connection } = await open({ sessionTimeoutMs: 30_000 });
  const create = (path: string): Promise<unknown> =>
    connection.create(path, Buffer.alloc(0), 'persistent');
  await create(root);
  for (const key of KEYS) await create(`${root}/${key}`);
  const server = await LyingServer.start(sharedServer().port);
  onTestFinished(() => server[Symbol.asyncDispose]());
  const counts = { connections: 0, tooLong: 0 };
  server.lie = ({ type, bytes }) => {
    if (type === 'connect') counts.connections++;
    if (!bytes.includes(STRANGER)) return [bytes];
    counts.tooLong++;
    return { raw: TOO_LONG };
  };
  const options = {
    ...{ root, servers: server.connectString, client: 'wire' as const },
    ...{ sessionTimeoutMs: 30_000 },
  };
  const fill = (): Promise<unknown> => create(`${root}/k/${STRANGER}`);
  return { root, options, counts, fill };
}

it('refuses the calls for a key whose list is too long, and grants the others', async () => {
  const { root, options, counts, fill } = await openFilled();
  await fill();
  const locks = await openLocks(options);
  for (const key of ['a', 'b']) {
    const refused = locks.acquire('k', { timeoutMs: 20_000 });
    const granted = locks.acquire(key, { timeoutMs: 20_000 });
    await expect(refused).rejects.toMatchObject(refusal);
    await expect(refused).rejects.toThrow(`${root}/k: the answer is too long`);
    await expect(refused).rejects.toThrow('Delete the children of this node');
    await (await granted).release();
  }
  await expect(locks.tryAcquire('k')).rejects.toMatchObject(refusal);
  await expect(locks.inspect('k')).rejects.toMatchObject(refusal);
  expect(await locks.deadlocks()).toMatchObject({ deadlocks: [], unknown: 1 });
  expect(counts.connections).toBeLessThan(5);
});

it.each([
  ['alone', false],
  ['in a cohort', {}],
] as const)('refuses a hundred calls of one moment, %s, after one list', async (_, cohort) => {
  const { options, counts, fill } = await openFilled();
  await fill();
  const locks = await openLocks({ ...options, cohort });
  const calls = Array.from({ length: 100 }, () => locks.acquire('k', { timeoutMs: 60_000 }));
  for (const { reason } of (await Promise.allSettled(calls)) as PromiseRejectedResult[])
    expect(reason).toMatchObject(refusal);
  expect(counts).toEqual({ connections: 1, tooLong: 1 });
});

it('does not refuse a reader that joins those inside, behind a writer whose list is too long', async () => {
  const { options, fill } = await openFilled();
  const locks = await openLocks({ ...options, cohort: { maxTenureMs: 60_000 } });
  const held = await locks.acquire('k', { mode: 'read' });
  await fill();
  const write = locks.acquire('k', { timeoutMs: 60_000 });
  const read = locks.acquire('k', { mode: 'read', timeoutMs: 60_000 });
  await expect(write).rejects.toMatchObject(refusal);
  await (await read).release();
  await held.release();
});

it('reads that were sent together with one whose answer is too long are answered', async () => {
  const { root, options, counts, fill } = await openFilled();
  await fill();
  const zk = await connect({ servers: options.servers, sessionTimeoutMs: 30_000 });
  onTestFinished(() => zk.close());
  const reads = ['a', 'b', 'k', 'c', 'd', 'a', 'b', 'c'].map((key) => zk.list(`${root}/${key}`));
  const read = await Promise.allSettled(reads);
  expect(read.splice(2, 1)).toMatchObject([{ reason: refusal }]);
  for (const { status } of read) expect(status).toBe('fulfilled');
  expect(counts).toEqual({ connections: 2, tooLong: 2 });
});

it('a tree shows all keys, and how many nodes were not read below one whose list is too long', async () => {
  const { options, counts, fill } = await openFilled();
  await fill();
  const tree = await LockTree.open(options);
  onTestFinished(() => tree.close());
  const keys = await tree.read();
  expect([...keys.keys()].toSorted()).toEqual(KEYS.toSorted());
  expect(keys.get('k')).toMatchObject({ unread: 1, total: 0 });
  expect(counts.connections).toBeLessThan(8);
});
