import { expect, it } from 'vitest';
import { openInspector, openLocks, openWorker, ownRoot } from '../support/locks.js';
import { waitFor } from '../support/wait-for.js';

const HOLDERS = 5;

it('lets a holder write nothing if it was stopped inside its section for longer than its session', async () => {
  const root = ownRoot();
  const inspector = await openInspector();
  // Long enough for a holder on a busy machine to write before it is stopped.
  const session = { sessionTimeoutMs: 5_000, tickTimeMs: 500 };
  const options = { ...session, root, client: 'wire' } as const;
  const locks = await openLocks(options);
  const read = async (path: string): Promise<string> => {
    await inspector.sync(path);
    return (await inspector.get(path)).data.toString();
  };
  const told: string[] = [];

  const stopWhileItWrites = async (holder: number): Promise<void> => {
    const worker = await openWorker(options);
    const key = `resource-${holder}`;
    const path = `${root}-${key}`;
    await inspector.create(path);
    const held = await worker.acquire(key);
    const writing = worker
      .tell('write', held.lock, path, 'holder')
      .catch((error: unknown) => error);
    await waitFor(async () => (await read(path)) === 'holder', { what: 'the holder to write' });
    worker.signal('SIGSTOP');
    await using lock = await locks.acquire(key);
    await lock.transact((tx) => tx.set(path, 'next'));
    worker.signal('SIGCONT');
    told.push(((await writing) as { code: string }).code);
    expect(await read(path)).toBe('next');
    await worker.release(held.lock);
    await inspector.delete(path);
  };
  await Promise.all(Array.from({ length: HOLDERS }, (_, holder) => stopWhileItWrites(holder)));

  expect(told).toHaveLength(HOLDERS);
  const known = ['LOCK_LOST', 'LOCK_TRANSACTION_UNKNOWN'];
  expect([...new Set(told)].filter((code) => !known.includes(code))).toEqual([]);
});
