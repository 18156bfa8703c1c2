import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openInspector, openLocks, shortSession } from '../support/locks.js';
import { waitFor } from '../support/wait-for.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

const CYCLES = 60;
const RIVAL = '/locks/k/_c_00000000-0000-0000-0000-000000000000-__WRIT__';

it('waits for a holder that it finds on a server which has begun anew without its data', async () => {
  const server = await ZooKeeperServer.start();
  onTestFinished(() => server.stop());
  const servers = server.connectString;
  const locks = await openLocks({ servers, ...shortSession });
  for (let cycle = 0; cycle < CYCLES; cycle++) await (await locks.acquire('k')).release();

  await server.kill();
  rmSync(join(dirname(server.configFile), 'version-2'), { recursive: true });
  await server.restart();
  await waitFor(() => locks.session.isConnected, { what: 'a new session', timeoutMs: 20_000 });

  // The numbers and the zxids come to where they were, with somebody else in the place of the latest.
  const inspector = await openInspector(servers);
  await inspector.create('/locks');
  await inspector.create('/locks/k');
  for (let more = 0; more < CYCLES / 2; more++) await inspector.set('/locks', '');
  const comes = (): Promise<string> => inspector.create(RIVAL, '', 'persistentSequential');
  for (let cycle = 1; cycle < CYCLES; cycle++) await inspector.delete(await comes());
  const rival = await comes();
  expect(rival).toMatch(new RegExp(`0${CYCLES - 1}$`));
  const lists = vi.spyOn(locks.session, 'list');
  const waiting = locks.acquire('k');
  await waitFor(() => lists.mock.calls.length > 0, { what: 'a look at the queue' });
  expect(locks.counts).toMatchObject({ held: 0, waiting: 1 });
  await inspector.delete(rival);
  await (await waiting).release();
});
