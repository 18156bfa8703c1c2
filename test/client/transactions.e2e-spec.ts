import { expect, it } from 'vitest';
import { OperationRefusedError } from '../../libs/zk-client/src/port/client-errors.js';
import type { Operation } from '../../libs/zk-client/src/port/zookeeper-client.js';
import { openClient } from '../support/clients.js';
import { ownNode } from '../support/own-node.js';
import { sharedServer } from '../support/shared-server.js';

const open = async () => {
  const root = await ownNode();
  const { client } = await openClient(sharedServer().port, {}, 'wire');
  const transact = async (operations: Operation[]) => client.transact?.(operations);
  return { root, client, transact };
};
const data = Buffer.from('data');

it('does all operations of a transaction at one moment, and tells the paths of the nodes', async () => {
  const { root, client, transact } = await open();
  await client.create(`${root}/old`, data, 'persistent');
  const written = await transact([
    { type: 'check', path: `${root}/old`, version: 0 },
    { type: 'create', path: `${root}/n-`, data, mode: 'ephemeral-sequential' },
    { type: 'create', path: `${root}/box`, data, mode: 'container' },
    { type: 'set', path: root, data: Buffer.from('new') },
    { type: 'delete', path: `${root}/old` },
  ]);
  const created = `${root}/n-0000000001`;
  expect(written).toEqual([`${root}/old`, created, `${root}/box`, root, `${root}/old`]);
  expect((await client.list(root)).toSorted()).toEqual(['box', 'n-0000000001']);
  const { stat } = await client.get(created);
  expect(stat.ephemeralOwner).toBe(client.sessionId);
  expect((await client.get(`${root}/box`)).stat.czxid).toBe(stat.czxid);
  expect((await client.get(root)).data.toString()).toBe('new');
});

it('does none of them where one cannot be done, and names that one', async () => {
  const { root, client, transact } = await open();
  const done = transact([
    { type: 'create', path: `${root}/a`, data, mode: 'persistent' },
    { type: 'check', path: root, version: 7 },
    { type: 'delete', path: `${root}/none` },
  ]);
  await expect(done).rejects.toThrow(OperationRefusedError);
  await expect(done).rejects.toMatchObject({ code: 'ZK_BAD_VERSION', path: root, index: 1 });
  expect(await client.list(root)).toEqual([]);
});
