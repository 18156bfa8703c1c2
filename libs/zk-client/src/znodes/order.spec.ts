import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { silentLogger } from '../logger.js';
import { parseConnectString } from '../port/connect-string.js';
import type { ZooKeeperClient } from '../port/zookeeper-client.js';
import { Session } from '../session/session.js';
import { UserPaths } from './transaction-options.js';
import { ZkClient } from './zk-client.js';
import { Znodes } from './znodes.js';

function openClient() {
  const sent: string[] = [];
  const client = {
    ...{ session: { id: 'a1', password: 'p' }, sessionTimeoutMs: 6_000, server: 's' },
    proveSession: () => Promise.resolve(),
    sync: () => Promise.resolve(),
    abandon: () => undefined,
    close: () => Promise.resolve(true),
    set: (_: string, data: Buffer) => (sent.push(data.toString()), Promise.resolve({})),
  } as unknown as ZooKeeperClient;
  const session = new Session(
    {
      connectString: parseConnectString('127.0.0.1:2181'),
      ...{ sessionTimeoutMs: 6_000, tickTimeMs: 1_000, isInUse: () => false },
      connector: {
        description: 'a test',
        load: () => undefined,
        connect: () => Promise.resolve(client),
      },
    },
    silentLogger,
  );
  return {
    session,
    sent,
    zk: new ZkClient(new Znodes(session, new UserPaths(''), 5_000)),
  };
}

it('sends calls made on hearing of a connection after those that waited for it', async () => {
  const { session, sent, zk } = openClient();
  const calls = [zk.set('/x', 'early')];
  await nextTurn();
  zk.onState(({ name }) => name === 'connected' && calls.push(zk.set('/x', 'late')));
  session.start();
  await vi.waitFor(() => expect(sent).toHaveLength(2));
  expect(sent).toEqual(['early', 'late']);
  await Promise.all(calls);
  await session.close({ timeoutMs: 1_000 });
});
