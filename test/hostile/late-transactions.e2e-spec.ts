import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type Transaction, ZkLockConfigError } from 'zk-locks';
import { ownNode } from '../support/own-node.js';
import { openTwo } from '../support/place.js';

type Build = (tx: Transaction) => unknown;

async function open() {
  const { locks, inspector } = await openTwo({ client: 'wire' });
  const path = await ownNode();
  const ways: Record<string, (build: Build) => Promise<readonly string[]>> = {
    'lock.transact': async (build) => {
      await using lock = await locks.acquire('k');
      return await lock.transact(build);
    },
    'client.transaction': (build) => locks.client.transaction(build),
  };
  const read = async (): Promise<string> => (await inspector.get(path)).data.toString();
  return { path, ways, read };
}
const WAYS = ['lock.transact', 'client.transaction'];

/** How compilers for ES2015 emit an `async` function: it looks like any other to Node. */
const compiled =
  (steps: (tx: Transaction) => Promise<void>): Build =>
  (tx) =>
    new Promise<void>((resolve) => resolve(steps(tx)));

it.each(WAYS)('%s refuses a function that continues after it has returned', async (way) => {
  const { ways, path, read } = await open();
  const late = async (tx: Transaction): Promise<void> => {
    await nextTurn();
    tx.set(path, 'late');
  };
  const thenable: Build = (tx) => {
    tx.set(path, 'early');
    return { then: (resolve: () => void) => resolve() };
  };
  for (const build of [compiled(late), late, thenable]) {
    const built = ways[way]!(build);
    await expect(built).rejects.toThrow(ZkLockConfigError);
    await expect(built).rejects.toThrow(
      /`build` must be a synchronous function.* Compute what it needs first/,
    );
  }
  await nextTurn();
  expect(await read()).toBe('');
});

it.each(WAYS)('%s refuses a write that is added after it was sent', async (way) => {
  const { ways, path, read } = await open();
  let draft!: Transaction;
  await ways[way]!((tx) => {
    draft = tx.set(path, 'in time');
  });
  const writes = [
    () => draft.set(path, 'late'),
    () => draft.create(`${path}/late`),
    () => draft.delete(path),
    () => draft.check(path),
  ];
  for (const write of writes) expect(write).toThrow(/`tx` must be used before `build` returns/);
  expect(await read()).toBe('in time');
});

it.each(WAYS)('%s refuses a write that is added after its function has thrown', async (way) => {
  const { ways, path } = await open();
  let draft!: Transaction;
  const failed = ways[way]!((tx) => {
    draft = tx;
    throw new Error('mine');
  });
  await expect(failed).rejects.toThrow('mine');
  expect(() => draft.set(path, 'late')).toThrow(ZkLockConfigError);
});
