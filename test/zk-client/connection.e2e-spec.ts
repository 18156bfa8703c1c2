import { createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import {
  Connection,
  ErrorCode,
  EventType,
  OpCode,
  Perms,
  RequestError,
  WatcherType,
} from 'zk-client';
import { about } from '../hostile/support/lies.js';
import { framed, LyingServer } from '../hostile/support/lying-server.js';
import { openProxy } from '../support/open-proxy.js';
import { ownNode } from '../support/own-node.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';
import { open } from './support.js';

const data = Buffer.from('data');
const nothing = Buffer.alloc(0);

it('creates each kind of node, and answers with its stat at once', async () => {
  const root = await ownNode();
  const { connection } = await open();
  const persistent = await connection.create(`${root}/p`, data);
  expect(persistent).toMatchObject({ path: `${root}/p`, stat: { dataLength: 4, version: 0 } });
  const ephemeral = await connection.create(`${root}/e`, data, { mode: 'ephemeral' });
  expect(ephemeral.stat?.ephemeralOwner).toBe(connection.session.id);
  const options = { mode: 'ephemeralSequential' } as const;
  const { path, czxid, stat } = await connection.create(`${root}/s-`, data, options);
  expect(path).toMatch(/s-\d{10}$/);
  expect(stat?.czxid).toBe(czxid);
  expect(czxid).toBe((await connection.getData(path)).stat.czxid);
  await connection.create(`${root}/c`, nothing, { mode: 'container' });
  await connection.create(`${root}/t`, nothing, { mode: 'persistentWithTTL', ttlMs: 60_000 });
  expect(await connection.getChildren(root)).toHaveLength(5);
  expect(await connection.exists(`${root}/none`)).toBeNull();
});

it('reads, writes and deletes at a version, and refuses another one', async () => {
  const root = await ownNode();
  const { connection } = await open();
  expect((await connection.setData(root, data, 0)).version).toBe(1);
  await expect(connection.setData(root, data, 0)).rejects.toMatchObject({
    code: ErrorCode.badVersion,
    request: 'setData',
    path: root,
    wasSent: true,
  });
  expect((await connection.getData(root)).data?.toString()).toBe('data');
  await connection.create(`${root}/n`, nothing);
  await expect(connection.delete(`${root}/n`, 7)).rejects.toThrow('badVersion');
  await connection.delete(`${root}/n`, 0);
  await connection.sync(root);
  expect(await connection.getChildren(root)).toEqual([]);
});

it('executes all parts of a multi, or none', async () => {
  const root = await ownNode();
  const { connection } = await open();
  const create = (name: string) => ({
    type: OpCode.create2,
    request: {
      path: `${root}/${name}`,
      data,
      acl: [{ perms: Perms.all, id: { scheme: 'world', id: 'anyone' } }],
      flags: 0,
    },
  });
  const results = await connection.multi([
    { type: OpCode.check, request: { path: root, version: 0 } },
    create('a'),
    create('b'),
  ]);
  expect(results.map(({ type }) => type)).not.toContain(OpCode.error);
  expect(await connection.multi([create('c'), create('a')])).toEqual([
    { type: OpCode.error, err: 0 },
    { type: OpCode.error, err: ErrorCode.nodeExists },
  ]);
  expect((await connection.getChildren(root)).toSorted()).toEqual(['a', 'b']);
});

it('reads many nodes at once, and tells which of them are not there', async () => {
  const root = await ownNode();
  const { connection } = await open();
  await connection.create(`${root}/a`, data);
  const read = (path: string) => ({ type: OpCode.getData, request: { path, watch: false } });
  const results = await connection.multiRead([
    read(`${root}/a`),
    read(`${root}/b`),
    { type: OpCode.getChildren, request: { path: root, watch: false } },
  ]);
  expect(results).toMatchObject([
    { type: OpCode.getData, reply: { data } },
    { type: OpCode.error, err: ErrorCode.noNode },
    { type: OpCode.getChildren, reply: { children: ['a'] } },
  ]);
});

it('tells of a watched node once, of one below a lasting watch each time, until that is removed', async () => {
  const root = await ownNode();
  const { connection, events } = await open();
  const { connection: writer } = await open();
  await connection.getData(root, { watch: true });
  await connection.addWatch(root, 'persistentRecursive');
  await writer.create(`${root}/a`, nothing);
  await writer.delete(`${root}/a`);
  await connection.sync(root);
  expect(events.map(({ type, path }) => [type, path])).toEqual([
    [EventType.nodeCreated, `${root}/a`],
    [EventType.nodeDeleted, `${root}/a`],
  ]);
  await connection.removeWatches(root, WatcherType.data);
  await connection.removeWatches(root, WatcherType.any);
  await writer.setData(root, data);
  await connection.sync(root);
  expect(events).toHaveLength(2);
  await expect(connection.removeWatches(root, WatcherType.any)).rejects.toMatchObject({
    code: ErrorCode.noWatcher,
  });
});

it('keeps a session alive of which nothing is asked', async () => {
  const root = await ownNode();
  const { connection, ends } = await open({ sessionTimeoutMs: 1_000 });
  await connection.create(`${root}/e`, nothing, { mode: 'ephemeral' });
  await sleep(3 * connection.sessionTimeoutMs);
  expect(await connection.getChildren(root)).toEqual(['e']);
  expect(ends).toEqual([]);
});

it('attaches a session to a new connection, until it is closed', async () => {
  const root = await ownNode();
  const { connection, ends } = await open();
  await connection.create(`${root}/e`, nothing, { mode: 'ephemeral' });
  connection.abandon();
  expect(ends).toEqual([]);
  const { session } = connection;
  const { connection: second } = await open({ session });
  expect(second.session.id).toBe(session.id);
  expect(await second.getChildren(root)).toEqual(['e']);
  expect(await second.close()).toBe(true);
  expect(await second.close()).toBe(false);
  const attaching = open({ session });
  await expect(attaching).rejects.toMatchObject({ code: ErrorCode.sessionExpired });
  const { connection: third } = await open();
  expect(await third.getChildren(root)).toEqual([]);
});

it('sends nothing after its end, and says so', async () => {
  const { connection } = await open();
  const unanswered = connection.sync('/');
  connection.abandon();
  await expect(unanswered).rejects.toMatchObject({ code: ErrorCode.connectionLoss, wasSent: true });
  await expect(connection.sync('/')).rejects.toMatchObject({ wasSent: false });
});

it('does not report its end to an owner that has given it up already', async () => {
  const proxy = await openProxy();
  for (const giveUp of ['close', 'abandon'] as const) {
    const { connection, ends } = await open({ port: proxy.port });
    await proxy.freezeTowards('client');
    const unanswered = connection.getData('/').catch((error: unknown) => {
      // In the turn in which the end would be told.
      void connection[giveUp]();
      return error;
    });
    await proxy.cut();
    expect(await unanswered).toMatchObject({ code: ErrorCode.connectionLoss });
    await sleep(10);
    expect(ends).toEqual([]);
    await proxy.thaw();
  }
});

it('does not know what became of requests before a proof of identity that is refused', async () => {
  const root = await ownNode();
  await using server = await LyingServer.start(sharedServer().port);
  // The answer is on its way.
  server.lie = about(OpCode.create2, () => []);
  const { connection, ends } = await open({ port: server.port });
  const outcomes = await Promise.allSettled([
    connection.create(`${root}/e`, nothing, { mode: 'ephemeral' }),
    connection.addAuth('nonsense', data),
  ]);
  expect(outcomes).toMatchObject([
    { reason: { code: ErrorCode.connectionLoss, isRefusal: false } },
    { reason: { code: ErrorCode.authFailed, isRefusal: true } },
  ]);
  expect(ends).toEqual(['auth-failed']);
});

it('does not show the password of its session, nor its socket, to who inspects it', async () => {
  const { connection } = await open();
  const shown = inspect(connection, { depth: Infinity });
  expect(shown).toMatch(/^Connection \{ sessionTimeoutMs: \d+ \}$/);
});

it('refuses what cannot be written, and goes on', async () => {
  const { connection } = await open();
  const [refused, next] = [connection.getChildren('/\ud800'), connection.getChildren('/')];
  await expect(refused).rejects.toMatchObject({ code: ErrorCode.badArguments, wasSent: false });
  expect(await next).toContain('zookeeper');
});

it('ends a connection that sends a longer frame than it was told to take', async () => {
  const root = await ownNode();
  const { connection, ends } = await open({ maxFrameBytes: 1_000 });
  await connection.setData(root, Buffer.alloc(2_000));
  await expect(connection.getData(root)).rejects.toMatchObject({
    code: ErrorCode.marshallingError,
    cause: { code: 'BAD_LENGTH' },
  });
  expect(ends).toEqual(['disconnected']);
});

it('ends a connection on which something follows the handshake unasked, in one piece with it', async () => {
  await using server = await LyingServer.start(sharedServer().port);
  server.lie = about('connect', ({ bytes }) => ({
    raw: Buffer.concat([framed(bytes), framed(nothing)]),
  }));
  const { ends } = await open({ port: server.port });
  await waitFor(() => ends.length, { what: 'the end' });
  expect(ends).toEqual(['disconnected']);
});

it('says why no connection came about', async () => {
  const silent = createServer((socket: Socket) => socket.on('error', () => undefined));
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  const listener = { onEvent: () => undefined, onEnd: () => undefined };
  const options = { host: '127.0.0.1', port, sessionTimeoutMs: 1_000, listener };
  const failure = await Connection.open({ ...options, connectTimeoutMs: 50 }).catch(
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(RequestError);
  expect(failure).toMatchObject({ code: ErrorCode.operationTimeout, request: 'connect' });
});
