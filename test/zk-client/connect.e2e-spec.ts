import { describe, expect, it, onTestFinished } from 'vitest';
import { connect, type ConnectedZkClient, type ConnectOptions, type SessionState } from 'zk-client';
import { NativeConnector } from 'zk-client/native';
import { freePort } from '../support/free-port.js';
import { openProxy } from '../support/open-proxy.js';
import { ownNode } from '../support/own-node.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { sharedServer } from '../support/shared-server.js';

async function open(options: Partial<ConnectOptions> = {}): Promise<ConnectedZkClient> {
  const servers = `127.0.0.1:${String(sharedServer().port)}`;
  const zk = await connect({ servers, sessionTimeoutMs: 3_000, ...options });
  onTestFinished(() => zk.close());
  return zk;
}

describe.each([
  ['our own connection', undefined],
  ['npm zookeeper', new NativeConnector()],
])('by %s', (_, connector) => {
  it('keeps ephemeral znodes until it is closed, and then makes no call any more', async () => {
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

it('goes on in the same session over connections that are lost, and asks again what may be asked twice', async () => {
  const path = await ownNode();
  const proxy = await openProxy();
  const zk = await open({ servers: proxy.connectString });
  const states: SessionState['name'][] = [];
  zk.onState(({ name }) => states.push(name));
  await zk.create(`${path}/here`, '', { mode: 'ephemeral' });
  const { stat } = await zk.get(`${path}/here`);
  await proxy.cut();
  expect((await zk.get(`${path}/here`)).stat.ephemeralOwner).toBe(stat.ephemeralOwner);
  expect(states).toEqual(['connected', 'suspended', 'connected']);
});

it('ends its session at the end of a block with `await using`', async () => {
  const path = await ownNode();
  {
    await using zk = await open();
    await zk.create(`${path}/here`, '', { mode: 'ephemeral' });
  }
  expect(await (await open()).list(path)).toEqual([]);
});

it('writes below `/locks` too, since it has no locks', async () => {
  const zk = await open();
  const path = `/locks-${process.pid}`;
  expect(await zk.create(path)).toBe(path);
  await zk.delete(path);
});

it('says why there is no session, and leaves nothing behind', async () => {
  const port = await freePort();
  const options = { servers: `127.0.0.1:${String(port)}`, connectTimeoutMs: 100 };
  await expect(connect(options)).rejects.toMatchObject({
    code: 'ZK_UNAVAILABLE',
    message: expect.stringContaining('ECONNREFUSED') as string,
  });
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

it('tells its logger what becomes of the session', async () => {
  const logger = new RecordingLogger();
  await open({ logger });
  expect(logger.lines.join('\n')).toContain('Using client "wire"');
});
