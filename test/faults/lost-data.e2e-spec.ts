import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openInspector, openLocks } from '../support/locks.js';
import { waitFor } from '../support/wait-for.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

const CYCLES = 60;
const RIVAL = '/locks/k/_c_00000000-0000-0000-0000-000000000000-__WRIT__';

it('waits for a holder that it finds on a server that has restarted without its data', async () => {
  const server = await ZooKeeperServer.start();
  onTestFinished(() => server.stop());
  const servers = server.connectString;
  const locks = await openLocks({ servers });
  let latest = 0n;
  for (let cycle = 0; cycle < CYCLES; cycle++) {
    await locks.withLock('k', ({ fencingToken }) => void (latest = fencingToken >> 10n));
  }

  await server.kill();
  rmSync(join(dirname(server.configFile), 'version-2'), { recursive: true });
  await server.restart();
  await waitFor(() => locks.session.isConnected, { what: 'a new session' });

  // Brings the sequence numbers and zxids back to their earlier values, with other nodes in place
  // of ours.
  const inspector = await openInspector(servers);
  await inspector.create('/locks');
  await inspector.create('/locks/k');
  const rivals: string[] = [];
  for (let number = 0; number < CYCLES; number++) {
    rivals.push(await inspector.create(RIVAL, '', 'persistentSequential'));
  }
  expect(rivals.at(-1)).toMatch(new RegExp(`0${CYCLES - 1}$`));
  const zxid = async (): Promise<bigint> => BigInt((await inspector.get('/locks')).stat.mzxid);
  expect(await zxid()).toBeLessThan(latest);
  while ((await zxid()) <= latest) await inspector.set('/locks', '');
  const reads = vi.spyOn(locks.session, 'get');
  const waiting = locks.acquire('k');
  const isWatched = (): boolean => reads.mock.calls.some(([, path]) => path === rivals.at(-1));
  await waitFor(isWatched, { what: 'the last of them to be watched' });
  expect(locks.counts).toMatchObject({ held: 0, waiting: 1 });
  for (const rival of rivals) await inspector.delete(rival);
  await (await waiting).release();
});
