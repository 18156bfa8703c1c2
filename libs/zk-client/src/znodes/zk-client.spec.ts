import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { silentLogger } from '../logger.js';
import { ReturnCode, ZooKeeperError } from '../port/client-errors.js';
import { parseConnectString } from '../port/connect-string.js';
import type { ClientListener, ZooKeeperClient } from '../port/zookeeper-client.js';
import { Session } from '../session/session.js';
import { UserPaths } from './transaction-options.js';
import { ZkClient } from './zk-client.js';
import { Znodes } from './znodes.js';

function openClient(requests: Partial<ZooKeeperClient>) {
  let listener: ClientListener | undefined;
  const client = {
    ...requests,
    ...{ session: { id: 'a1', password: 'p' }, sessionTimeoutMs: 6_000, server: 's' },
    proveSession: () => Promise.resolve(),
    sync: () => Promise.resolve(),
    abandon: () => undefined,
    close: () => Promise.resolve(true),
  } as unknown as ZooKeeperClient;
  const session = new Session(
    {
      connectString: parseConnectString('127.0.0.1:2181'),
      ...{ sessionTimeoutMs: 6_000, tickTimeMs: 1_000, isInUse: () => false },
      connector: {
        description: 'a test',
        load: () => undefined,
        connect: (request) => {
          ({ listener } = request);
          return Promise.resolve(client);
        },
      },
    },
    silentLogger,
  );
  return {
    session,
    disconnect: () => listener?.onEnd('disconnected'),
    zk: new ZkClient(new Znodes(session, new UserPaths(''), 5_000)),
  };
}

it('sends calls made on hearing of a connection after those that waited for it', async () => {
  const sent: string[] = [];
  const set = (_: string, data: Buffer) => (
    sent.push(data.toString()),
    Promise.resolve({} as never)
  );
  const { session, zk } = openClient({ set });
  const calls = [zk.set('/x', 'early')];
  await nextTurn();
  zk.onState(({ name }) => name === 'connected' && calls.push(zk.set('/x', 'late')));
  session.start();
  await expect.poll(() => sent).toHaveLength(2);
  expect(sent).toEqual(['early', 'late']);
  await Promise.all(calls);
  await session.close({ timeoutMs: 1_000 });
});

it('reports an ephemeral znode as ambiguous if its owner may not be read after a lost answer', async () => {
  const refused = (returnCode: number) => new ZooKeeperError(returnCode, 'create', '/x');
  const create = vi.fn().mockRejectedValue(refused(ReturnCode.nodeExists));
  const exists = vi.fn().mockRejectedValue(refused(ReturnCode.noAuth));
  const { session, disconnect, zk } = openClient({ create, exists });
  create.mockImplementationOnce(() => {
    disconnect();
    return Promise.reject(refused(ReturnCode.connectionLoss));
  });
  session.start();
  const created = zk.create('/x', '', { mode: 'ephemeral' });
  await expect(created).rejects.toMatchObject({ outcome: 'ambiguous' });
  expect(exists).toHaveBeenCalledOnce();
  await session.close({ timeoutMs: 1_000 });
});
