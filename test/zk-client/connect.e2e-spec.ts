import { describe, expect, it, onTestFinished } from 'vitest';
import { connect, type ConnectedZkClient, type ConnectOptions } from 'zk-client';
import { NativeConnector } from 'zk-client/native';
import { encodeReply, ErrorCode, OpCode } from 'zk-protocol';
import { about } from '../hostile/support/lies.js';
import { LyingServer } from '../hostile/support/lying-server.js';
import { freePort } from '../support/free-port.js';
import { ownNode } from '../support/own-node.js';
import { sharedServer } from '../support/shared-server.js';

async function open(options: Partial<ConnectOptions> = {}): Promise<ConnectedZkClient> {
  const servers = `127.0.0.1:${String(sharedServer().port)}`;
  const zk = await connect({ servers, ...options });
  onTestFinished(() => zk.close());
  return zk;
}

describe.each([
  ['our own connection', undefined],
  ['npm zookeeper', new NativeConnector()],
])('by %s', (_, connector) => {
  it('keeps ephemeral znodes until it is closed, and makes no calls after that', async () => {
    const path = await ownNode();
    const zk = await open({ ...(connector && { connector }) });
    const witness = await open();
    await zk.create(`${path}/here`, 'one', { mode: 'ephemeral' });
    expect((await witness.get(`${path}/here`)).data.toString()).toBe('one');
    await zk.close();
    expect(await witness.list(path)).toEqual([]);
    await expect(zk.get(path)).rejects.toMatchObject({ code: 'ZK_CLOSED' });
  });
});

it('writes below `/locks` too, since it has no locks', async () => {
  const zk = await open();
  const path = `/locks-${process.pid}`;
  expect(await zk.create(path)).toBe(path);
  await zk.delete(path);
});

it('says why there is no session, and leaves nothing behind', async () => {
  const port = await freePort();
  const options = { servers: `127.0.0.1:${String(port)}`, connectTimeoutMs: 2_000 };
  await expect(connect(options)).rejects.toMatchObject({
    code: 'ZK_UNAVAILABLE',
    message: expect.stringContaining('ECONNREFUSED') as string,
  });
});

it('connects again when a transaction is refused because its session has moved', async () => {
  await using server = await LyingServer.start(sharedServer().port);
  const zk = await open({ servers: server.connectString });
  const path = await ownNode();
  const states: string[] = [];
  zk.onState(({ name }) => states.push(name));
  server.lie = about(OpCode.multi, ({ xid }) => [
    encodeReply({ xid, zxid: 1n }, OpCode.multi, [
      { type: OpCode.error, err: ErrorCode.sessionMoved },
    ]).subarray(4),
  ]);
  await expect(zk.transaction((tx) => tx.delete(path))).rejects.toMatchObject({
    code: 'ZK_SESSION_MOVED',
  });
  await expect.poll(() => states).toEqual(['connected', 'suspended', 'connected']);
});

it('refuses SASL by npm zookeeper, which would send the password, and says what to do instead', async () => {
  const credentials = { username: 'u', password: 'secret', scheme: 'sasl' } as const;
  await expect(open({ connector: new NativeConnector(), credentials })).rejects.toThrow(
    /^`client` is native, which does not support SASL\. With `connect\(\)`, omit `connector`/,
  );
});

it.each<[Partial<ConnectOptions>, option: string]>([
  [{ servers: '' }, 'servers'],
  [{ sessionTimeoutMs: 0.5 }, 'sessionTimeoutMs'],
  [{ acl: 'creator' }, 'acl'],
  [{ connector: {} as never }, 'connector'],
  [{ connector: new NativeConnector(), tls: true }, 'tls'],
  [{ logger: {} as never }, 'logger'],
  [{ root: '/locks' } as object, 'root'],
])('refuses %o, naming the option', async (options, option) => {
  await expect(open(options)).rejects.toMatchObject({ code: 'ZK_LOCK_CONFIG', option });
});
