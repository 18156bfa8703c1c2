import { expect, it, onTestFinished } from 'vitest';
import { Locks } from 'zk-locks';
import { InspectClient } from '../support/inspect-client.js';
import { LockWorker } from '../support/lock-worker.js';
import { waitFor } from '../support/wait-for.js';
import { ZooKeeperEnsemble } from '../support/zookeeper-ensemble.js';

const HOLDERS = 10;
const ROUNDS = 20;

it('lets a holder that was stopped beyond its session, inside its section, write nothing in 200 runs', async () => {
  await using ensemble = await ZooKeeperEnsemble.start();
  const servers = ensemble.members.map(({ connectString }) => connectString).join(',');
  const session = { sessionTimeoutMs: 2_000, tickTimeMs: 500 };
  const options = { ...session, servers, root: '/locks', client: 'wire' } as const;
  await using inspector = await InspectClient.connect(servers);
  const locks = new Locks(options);
  onTestFinished(() => locks.close());
  await locks.start();
  const read = async (path: string): Promise<string> => {
    await inspector.sync(path);
    return (await inspector.get(path)).data.toString();
  };
  const told: string[] = [];

  const stopAgainAndAgain = async (holder: number): Promise<void> => {
    await using worker = await LockWorker.start(options);
    const path = `/resource-${holder}`;
    await inspector.create(path);
    for (let round = 0; round < ROUNDS; round++) {
      const held = await worker.acquire(path);
      const text = `holder in round ${round}`;
      const writing = worker.write(held.lock, path, text).catch((error: unknown) => error);
      await waitFor(async () => (await read(path)) === text, { what: 'the holder to write' });
      worker.signal('SIGSTOP');
      await using lock = await locks.acquire(path);
      await lock.transact((tx) => tx.set(path, 'next'));
      worker.signal('SIGCONT');
      told.push(((await writing) as { code: string }).code);
      expect(await read(path)).toBe('next');
      await worker.release(held.lock);
    }
  };
  await Promise.all(Array.from({ length: HOLDERS }, (_, holder) => stopAgainAndAgain(holder)));

  expect(told).toHaveLength(HOLDERS * ROUNDS);
  const known = ['LOCK_LOST', 'LOCK_TRANSACTION_UNKNOWN'];
  expect([...new Set(told)].filter((code) => !known.includes(code))).toEqual([]);
}, 600_000);
