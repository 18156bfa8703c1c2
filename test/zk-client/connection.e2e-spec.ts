import { once } from 'node:events';
import { type AddressInfo, createServer, Socket } from 'node:net';
import { inspect } from 'node:util';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type ConnectionOptions, User } from 'zk-client';
import { encodeWatcherEvent, ErrorCode, EventType, OpCode } from 'zk-protocol';
import { about, withError } from '../hostile/support/lies.js';
import { framed, LyingServer } from '../hostile/support/lying-server.js';
import { collectGarbage } from '../support/collect-garbage.js';
import { endsWithin } from '../support/ends-within.js';
import { nextUncaught } from '../support/next-uncaught.js';
import { ownNode } from '../support/own-node.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';
import { open } from './support.js';

const data = Buffer.from('data');
const nothing = Buffer.alloc(0);

it('creates each kind of node, and answers with its czxid', async () => {
  const root = await ownNode();
  const { connection } = await open();
  const modes = ['persistent', 'ephemeral', 'ephemeral-sequential', 'container'] as const;
  for (const [index, mode] of [...modes, 'persistent' as const].entries()) {
    const node = index === modes.length ? { ttlMs: 60_000 } : {};
    const created = await connection.create(`${root}/${index}-`, data, mode, node);
    const { stat } = await connection.get(created.path);
    expect(created.czxid).toBe(stat.czxid);
    const owner = mode.startsWith('ephemeral') ? connection.session.id : '0';
    expect(stat).toMatchObject({ dataLength: 4, version: 0 });
    if (mode !== 'container') expect([mode, stat.ephemeralOwner]).toEqual([mode, owner]);
  }
  expect(await connection.list(root)).toHaveLength(5);
  expect(await connection.exists(`${root}/none`)).toBeUndefined();
});

it('is opened although this process stalls beyond the time limit, if the server has answered', async () => {
  const write = vi.spyOn(Socket.prototype, 'write');
  onTestFinished(() => void vi.restoreAllMocks());
  const connectTimeoutMs = 1_000;
  write.mockImplementationOnce(function (this: Socket, data) {
    const isWritten = this.write(data);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * connectTimeoutMs);
    return isWritten;
  });
  const { connection } = await open({ connectTimeoutMs });
  expect(connection.isOpen).toBe(true);
});

it('attaches a session to a new connection, until it is closed', async () => {
  const root = await ownNode();
  const { connection, ends } = await open();
  await connection.create(`${root}/e`, nothing, 'ephemeral');
  connection.abandon();
  expect(ends).toEqual([]);
  const { session } = connection;
  const { connection: second } = await open({ session });
  expect(second.session).toEqual(session);
  expect(await second.list(root)).toEqual(['e']);
  expect(await second.close()).toBe(true);
  expect(await second.close()).toBe(false);
  const attaching = open({ session });
  await expect(attaching).rejects.toMatchObject({ outcome: 'session-over' });
  const { connection: third } = await open();
  expect(await third.list(root)).toEqual([]);
});

it('does not know the outcome of requests before a proof of identity that is refused', async () => {
  const root = await ownNode();
  await using server = await LyingServer.start(sharedServer().port);
  // The answer is on its way.
  server.lie = about(OpCode.create2, () => []);
  const { connection, ends } = await open({ port: server.port });
  const outcomes = await Promise.allSettled([
    connection.create(`${root}/e`, nothing, 'ephemeral'),
    connection.logIn(new User('nonsense' as 'digest', 'user', 'password')),
  ]);
  expect(outcomes).toMatchObject([
    { reason: { outcome: 'ambiguous' } },
    { reason: { outcome: 'auth' } },
  ]);
  expect(ends).toEqual(['auth-failed']);
});

it('knows that no request behind the end of its session was executed', async () => {
  const root = await ownNode();
  await using server = await LyingServer.start(sharedServer().port);
  server.lie = about(OpCode.setData, withError(ErrorCode.sessionExpired));
  const { connection, ends } = await open({ port: server.port });
  // Each of them is sent by itself.
  const writes = [1, 2, 3].map(() => connection.set(root, data, {}));
  const over = { reason: { outcome: 'session-over' } };
  expect(await Promise.allSettled(writes)).toMatchObject([over, over, over]);
  await waitFor(() => ends.length, { what: 'the end' });
  expect(ends).toEqual(['session-expired']);
});

it.each<[what: string, Partial<ConnectionOptions>]>([
  ['an id', { session: { id: 'xyz', password: '00' } }],
  ['a password', { session: { id: 'a1', password: 'secret' } }],
])('refuses %s that is not in hex, and does not show it', async (_, options) => {
  const refused = await open(options).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'ZK_LOCK_CONFIG', option: 'session' });
  expect(String(refused)).not.toMatch(/xyz|secret/);
});

it('names what is wrong with a path, or with the time to live of a node', async () => {
  const { connection } = await open();
  await expect(connection.list('/a//b')).rejects.toThrow('empty segment');
  const creating = connection.create('/x', nothing, 'persistent', { ttlMs: 0.5 });
  await expect(creating).rejects.toThrow('a time to live of 0.5 ms');
});

it('shows neither the password of its session nor its socket when inspected', async () => {
  const { connection } = await open();
  const shown = inspect(connection, { depth: Infinity });
  expect(shown).toMatch(/^Connection \{ server: '127.0.0.1:\d+', sessionTimeoutMs: \d+ \}$/);
});

it('refuses what cannot be written, and goes on', async () => {
  const { connection } = await open();
  const outcomes = await Promise.allSettled([
    connection.list('/\ud800'),
    connection.create('/x', nothing, 'EPHEMERAL' as never),
    connection.create('/x', nothing, 'ephemeral', { ttlMs: 60_000 }),
    connection.set('/x', nothing, { version: 0.5 }),
    connection.list('/'),
  ]);
  const refused = { reason: { code: 'ZK_BAD_ARGUMENTS' } };
  expect(outcomes).toMatchObject([refused, refused, refused, refused, { status: 'fulfilled' }]);
});

it.each([
  { sessionTimeoutMs: 0.5 },
  { connectTimeoutMs: 0.5 },
  { connectTimeoutMs: 0 },
  { connectTimeoutMs: Infinity },
])('refuses %o, naming the option', async (options) => {
  const [option] = Object.keys(options);
  await expect(open(options)).rejects.toMatchObject({ code: 'ZK_LOCK_CONFIG', option });
});

const answerTooLong = { code: 'ZK_ANSWER_TOO_LONG', outcome: 'definite' };

it('refuses a read whose answer is longer than allowed, and answers the requests behind it', async () => {
  const root = await ownNode();
  const { connection, ends } = await open({ maxFrameBytes: 1_000 });
  await connection.set(root, Buffer.alloc(500_000));
  const [tooLong, behind] = [connection.get(root), connection.exists(root)];
  const cause = { code: 'TOO_LONG' };
  await expect(tooLong).rejects.toMatchObject({ ...answerTooLong, path: root, cause });
  await expect(tooLong).rejects.toThrow('allowed. Shorten the data of this node.');
  await expect(behind).resolves.toMatchObject({ dataLength: 500_000 });
  for (const letter of ['a', 'b'])
    await connection.create(`${root}/${letter.repeat(600)}`, nothing, 'ephemeral');
  await expect(connection.list(root)).rejects.toMatchObject({ ...answerTooLong, path: root });
  await expect(connection.exists(root)).resolves.toMatchObject({ numChildren: 2 });
  expect(ends).toEqual([]);
});

it('refuses a list of more than 1,048,576 names, and answers the requests behind it', async () => {
  const root = await ownNode();
  await using server = await LyingServer.start(sharedServer().port);
  server.lie = about(OpCode.getChildren, ({ bytes }) => {
    const list = Buffer.alloc(4 + 4 * 1_048_577);
    list.writeInt32BE(1_048_577);
    return [Buffer.concat([bytes.subarray(0, 16), list])];
  });
  const { connection, ends } = await open({ port: server.port, maxFrameBytes: 64 * 1_048_576 });
  const [tooLong, behind] = [connection.list(root), connection.exists(root)];
  await expect(tooLong).rejects.toMatchObject({ ...answerTooLong, cause: { code: 'TOO_LONG' } });
  await expect(behind).resolves.toMatchObject({ numChildren: 0 });
  expect(ends).toEqual([]);
});

it('ends a connection whose frame is longer than allowed for a third of the session timeout', async () => {
  const root = await ownNode();
  await using server = await LyingServer.start(sharedServer().port);
  const length = Buffer.from('7fffffff', 'hex');
  server.lie = about(OpCode.getChildren, () => ({ raw: length }));
  const { connection, ends } = await open({ port: server.port, sessionTimeoutMs: 6_000 });
  await expect(connection.list(root)).rejects.toMatchObject(answerTooLong);
  const swallowed = connection.exists(root);
  // Pings are answered as well.
  const sending = setInterval(() => server.send(Buffer.alloc(1_000)), 20);
  onTestFinished(() => clearInterval(sending));
  await expect(swallowed).rejects.toMatchObject({ code: 'ZK_OPERATION_TIMEOUT' });
  expect(ends).toEqual(['disconnected']);
});

it('ends a connection that answers anything else with a longer frame than allowed, and blames one request alone', async () => {
  const root = await ownNode();
  const { connection, ends } = await open({ maxFrameBytes: 50 });
  const [tooLong, behind] = [connection.exists(root), connection.get(root)];
  const cause = { code: 'TOO_LONG' };
  await expect(tooLong).rejects.toMatchObject({ code: 'ZK_MARSHALLING', cause });
  await expect(behind).rejects.toMatchObject({ code: 'ZK_CONNECTION_LOSS', cause });
  expect(ends).toEqual(['disconnected']);
});

it('blames no other request for an answer that cannot be read', async () => {
  const root = await ownNode();
  await using server = await LyingServer.start(sharedServer().port);
  server.lie = about(OpCode.getData, ({ bytes }) => [bytes.subarray(0, 20)]);
  const { connection } = await open({ port: server.port });
  // Each of them is sent by itself.
  const [unread, behind] = [connection.get(root, { watch: true }), connection.set(root, data, {})];
  await expect(unread).rejects.toMatchObject({ code: 'ZK_MARSHALLING' });
  await expect(behind).rejects.toMatchObject({ code: 'ZK_CONNECTION_LOSS' });
});

it('ends a connection if unrequested bytes follow the handshake in the same chunk', async () => {
  await using server = await LyingServer.start(sharedServer().port);
  server.lie = about('connect', ({ bytes }) => ({
    raw: Buffer.concat([framed(bytes), framed(nothing)]),
  }));
  const { ends } = await open({ port: server.port });
  await waitFor(() => ends.length, { what: 'the end' });
  expect(ends).toEqual(['disconnected']);
});

it('answers a request even if the listener throws at an event in the same chunk as the answer', async () => {
  const root = await ownNode();
  await using server = await LyingServer.start(sharedServer().port);
  const event = encodeWatcherEvent({ type: EventType.nodeDeleted, state: 3, path: '/gone' });
  server.lie = about(OpCode.getData, ({ bytes }) => ({
    raw: Buffer.concat([event, framed(bytes)]),
  }));
  const failure = new Error('a listener');
  const uncaught = nextUncaught();
  const onNode = (): never => {
    throw failure;
  };
  const { connection, ends } = await open({
    port: server.port,
    listener: { onNode, onEnd: (end) => void ends.push(end) },
  });
  await expect(connection.get(root)).resolves.toMatchObject({ stat: {} });
  await expect(uncaught).resolves.toBe(failure);
  expect(ends).toEqual([]);
});

it('waits no longer than a second for the reason of a server that hung up, whatever the garbage collector does', async () => {
  const collecting = setInterval(collectGarbage, 50);
  onTestFinished(() => clearInterval(collecting));
  let isFirst = true;
  const silent = createServer((socket) => {
    // The connections behind the first one are never answered.
    if (isFirst) socket.once('data', () => socket.end());
    isFirst = false;
    onTestFinished(() => void socket.destroy());
  }).listen(0);
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const opening = open({ port, connectTimeoutMs: 60_000 });
  expect(await endsWithin(10_000, opening)).toBe(true);
  await expect(opening).rejects.toMatchObject({ code: 'ZK_CONNECTION_LOSS' });
});
