import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { inspect } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it, onTestFinished } from 'vitest';
import { ErrorCode, EventType, OpCode } from 'zk-client';
import { encodeWatcherEvent } from 'zk-protocol';
import { about } from '../hostile/support/lies.js';
import { framed, LyingServer } from '../hostile/support/lying-server.js';
import { ownNode } from '../support/own-node.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';
import { open } from './support.js';

/** Resolves with the next error that is not caught, for which Vitest would fail the run. */
function nextUncaught(): Promise<unknown> {
  const others = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  return new Promise((resolve) => {
    process.once('uncaughtException', (error) => {
      for (const listener of others) process.on('uncaughtException', listener);
      resolve(error);
    });
  });
}

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

it('does not know the outcome of requests before a proof of identity that is refused', async () => {
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

it('shows neither the password of its session nor its socket when inspected', async () => {
  const { connection } = await open();
  const shown = inspect(connection, { depth: Infinity });
  expect(shown).toMatch(/^Connection \{ sessionTimeoutMs: \d+ \}$/);
});

it('refuses what cannot be written, and goes on', async () => {
  const { connection } = await open();
  const outcomes = await Promise.allSettled([
    connection.getChildren('/\ud800'),
    connection.addWatch('/', 'Persistent' as never),
    connection.create('/x', nothing, { mode: 'EPHEMERAL' as never }),
    connection.getChildren('/'),
  ]);
  const refused = { reason: { code: ErrorCode.badArguments, wasSent: false } };
  expect(outcomes).toMatchObject([refused, refused, refused, { status: 'fulfilled' }]);
});

it.each([
  { sessionTimeoutMs: 0.5 },
  { sessionTimeoutMs: 2 ** 31 },
  { connectTimeoutMs: 0.5 },
  { connectTimeoutMs: 0 },
  { connectTimeoutMs: Infinity },
])('refuses %o, naming the option', async (options) => {
  const [option] = Object.keys(options);
  await expect(open(options)).rejects.toMatchObject({ code: 'ZK_LOCK_CONFIG', option });
});

it('ends a connection that sends a longer frame than allowed, and blames one request alone', async () => {
  const root = await ownNode();
  const { connection, ends } = await open({ maxFrameBytes: 1_000 });
  await connection.setData(root, Buffer.alloc(2_000));
  const [tooLong, behind] = [connection.getData(root), connection.exists(root)];
  const cause = { code: 'BAD_LENGTH' };
  await expect(tooLong).rejects.toMatchObject({ code: ErrorCode.marshallingError, cause });
  await expect(behind).rejects.toMatchObject({ code: ErrorCode.connectionLoss, cause });
  expect(ends).toEqual(['disconnected']);
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
  const onEvent = (): never => {
    throw failure;
  };
  const { connection, ends } = await open({
    port: server.port,
    listener: { onEvent, onEnd: (end) => void ends.push(end) },
  });
  await expect(connection.getData(root)).resolves.toMatchObject({ stat: {} });
  await expect(uncaught).resolves.toBe(failure);
  expect(ends).toEqual([]);
});

it('waits no longer than a second for the reason of a server that hung up, whatever the garbage collector does', async () => {
  setFlagsFromString('--expose-gc');
  const collecting = setInterval(runInNewContext('gc') as () => void, 50);
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
  await expect(opening).rejects.toMatchObject({ code: ErrorCode.connectionLoss });
});
