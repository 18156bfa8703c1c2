import { describe, expect, it } from 'vitest';
import { Batching, type Connection, User } from 'zk-client';
import { encodeReply, ErrorCode, type MultiResult, OpCode } from 'zk-protocol';
import { about, patched, withError } from '../hostile/support/lies.js';
import { type Lie, LyingServer } from '../hostile/support/lying-server.js';
import type { FaultProxy } from '../support/fault-proxy.js';
import { openProxy } from '../support/open-proxy.js';
import { ownNode } from '../support/own-node.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';
import { type Observed, open } from './support.js';

const data = Buffer.from('data');
const nothing = Buffer.alloc(0);

interface Stage extends Observed {
  readonly proxy: FaultProxy;
  /** Of as many directories as there are names. */
  readonly directories: readonly string[];
}

async function openBatching(count = 8): Promise<Stage> {
  const root = await ownNode();
  const proxy = await openProxy();
  const observed = await open({ port: proxy.port, batching: new Batching({ writesPerMs: 0 }) });
  const directories = Array.from({ length: count }, (_, index) => `${root}/${index}`);
  for (const path of directories) await observed.connection.create(path, nothing, 'persistent');
  await proxy.resetCounters();
  return { ...observed, proxy, directories };
}

const errorOf = (request: Promise<unknown>): Promise<unknown> =>
  request.catch((error: unknown) => error);

it('sends writes of one turn as one transaction, and the reads behind them as one request', async () => {
  const { connection, proxy, directories } = await openBatching();
  const all = directories.map((path) =>
    Promise.all([
      connection.create(`${path}/n-`, data, 'ephemeral-sequential'),
      connection.list(path),
    ]),
  );
  for (const [index, [{ path, czxid }, names]] of (await Promise.all(all)).entries()) {
    expect(`${directories[index]}/${names.join()}`).toBe(path);
    const { stat, data: read } = await connection.get(path);
    expect([stat.czxid, stat.ephemeralOwner]).toEqual([czxid, connection.session.id]);
    expect(String(read)).toBe('data');
  }
  expect(await proxy.requests()).toMatchObject({
    ...{ multi: 1, create: directories.length },
    ...{ multiRead: 1, getChildren: directories.length },
  });
});

it('does not mistake the end after a refused proof of identity for a request that was too long', async () => {
  const root = await ownNode();
  await using server = await LyingServer.start(sharedServer().port);
  const batching = new Batching();
  const long = Buffer.alloc(2_000);
  const unknown = new User('nonsense' as 'digest', 'user', 'password');
  // The answer is on its way.
  server.lie = about(OpCode.create2, () => []);
  for (let time = 0; time < 3; time++) {
    const { connection } = await open({ port: server.port, batching });
    const created = errorOf(connection.create(`${root}/${time}`, long, 'persistent'));
    await expect(connection.logIn(unknown)).rejects.toThrow();
    expect(await created).toMatchObject({ code: 'ZK_CONNECTION_LOSS' });
  }
  const { connection } = await open({ batching });
  await connection.create(`${root}/next`, long, 'persistent');
  expect(await connection.list(root)).toContain('next');
});

it('does not wait for an answer of more than 64 MiB, and then sends each read by itself', async () => {
  const root = await ownNode();
  await using server = await LyingServer.start(sharedServer().port);
  const batching = new Batching();
  const { connection, ends } = await open({ port: server.port, batching });
  const length = Buffer.alloc(4);
  length.writeInt32BE(64 * 1_048_576 + 1);
  server.lie = about(OpCode.multiRead, () => ({ raw: length }));
  const read = (from: Connection): Promise<unknown[]> =>
    Promise.all(Array.from({ length: 64 }, () => errorOf(from.get(root))));
  const tooLong = { code: 'ZK_CONNECTION_LOSS', cause: { code: 'TOO_LONG' } };
  expect(await read(connection)).toMatchObject(Array.from({ length: 64 }, () => tooLong));
  expect(ends).toEqual(['disconnected']);
  let frames = 0;
  server.lie = about(OpCode.multiRead, ({ bytes }) => {
    frames++;
    return [bytes];
  });
  const { connection: next } = await open({ port: server.port, batching });
  expect(await read(next)).toMatchObject(Array.from({ length: 64 }, () => ({ stat: {} })));
  expect(frames).toBe(0);
});

it('reports the nodes of later requests to a recursive watch', async () => {
  const { connection, directories, events } = await openBatching(4);
  const [parent = ''] = directories;
  const root = parent.slice(0, parent.lastIndexOf('/'));
  const nodes = directories.map((path) => `${path}/node`);
  await Promise.all([
    connection.addWatch(root, { recursive: true }),
    ...nodes.map((path) => connection.create(path, nothing, 'persistent')),
  ]);
  await connection.sync(root);
  for (const path of nodes) expect(events).toContain(path);
});

it('removes a watch after a refused batch', async () => {
  const { connection, directories } = await openBatching(4);
  const [path = ''] = directories;
  await connection.addWatch(path, { recursive: false });
  const writes = directories.map((directory) => errorOf(connection.set(`${directory}/none`, data)));
  const removed = connection.removeWatches(path);
  const refused = { code: 'ZK_NO_NODE' };
  expect(await Promise.all(writes)).toMatchObject([refused, refused, refused, refused]);
  await expect(removed).resolves.toBeUndefined();
});

describe('about a batch', () => {
  const ask = async (lie: Lie): Promise<{ outcomes: unknown[]; ends: readonly string[] }> => {
    const root = await ownNode();
    await using server = await LyingServer.start(sharedServer().port);
    const { connection, ends } = await open({
      port: server.port,
      batching: new Batching({ writesPerMs: 0 }),
    });
    server.lie = lie;
    const requests = [1, 2, 3, 4].map(() => errorOf(connection.set(root, data)));
    const outcomes = await Promise.all(requests);
    if (!connection.isOpen) await waitFor(() => ends.length, { what: 'the end' });
    return { outcomes, ends };
  };
  const answering = (change: (results: readonly MultiResult[]) => readonly MultiResult[]): Lie =>
    about(OpCode.multi, ({ xid, bytes }) => {
      const zxid = bytes.readBigInt64BE(4);
      const stat = { czxid: 1n, mzxid: 1n, ctime: 1n, mtime: 1n, pzxid: 1n, ephemeralOwner: 0n };
      const numbers = { version: 1, cversion: 0, aversion: 0, dataLength: 0, numChildren: 0 };
      const done = { type: OpCode.setData, reply: { stat: { ...stat, ...numbers } } };
      const results = change([done, done, done, done]);
      return [encodeReply({ xid, zxid }, OpCode.multi, results).subarray(4)];
    });
  const refused = (err: number): MultiResult => ({ type: OpCode.error, err });

  it.each<[lie: string, Lie]>([
    ['too few answers', answering((results) => results.slice(1))],
    ['too many answers', answering((results) => [...results, ...results])],
    ['no answers', answering(() => [])],
    [
      'answers to something else',
      answering((results) => results.map(() => ({ type: OpCode.delete, reply: undefined }))),
    ],
    ['a refusal of some', answering(([, ...results]) => [refused(ErrorCode.noNode), ...results])],
    ['a refusal without a refused part', answering((results) => results.map(() => refused(0)))],
    ['a refusal of the whole', about(OpCode.multi, withError(ErrorCode.noNode))],
    ['that it cannot be read', about(OpCode.multi, withError(ErrorCode.marshallingError))],
    ['half of the answers', about(OpCode.multi, ({ bytes }) => [bytes.subarray(0, 60)])],
    [
      'an answer to another request',
      about(OpCode.multi, ({ bytes }) => patched(bytes, (copy) => copy.writeInt32BE(7_777, 0))),
    ],
  ])('it does not believe %s', async (_, lie) => {
    const { outcomes, ends } = await ask(lie);
    expect(ends).toEqual(['disconnected']);
    const unknown = { request: 'set', code: 'ZK_MARSHALLING' };
    expect(outcomes).toMatchObject([unknown, unknown, unknown, unknown]);
  });

  it('it learns that the session is over, which only the parts say', async () => {
    const parts = [refused(ErrorCode.sessionExpired), ...[1, 2, 3].map(() => refused(-2))];
    const { outcomes, ends } = await ask(answering(() => parts));
    const over = { request: 'set', outcome: 'session-over' };
    expect(outcomes).toMatchObject([over, over, over, over]);
    expect(ends).toEqual(['session-expired']);
  });
});
