import dns from 'node:dns/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, expect, it, vi } from 'vitest';
import { ReturnCode, ZooKeeperError } from '../port/client-errors.js';
import { parseConnectString } from '../port/connect-string.js';
import { replaceBuiltin } from '../../../../test/support/replace-builtin.js';
import type {
  ConnectRequest,
  ZooKeeperClient,
  ZooKeeperConnector,
} from '../port/zookeeper-client.js';
import { Clock } from './clock.js';
import type { SessionLease } from './session-lease.js';
import { SessionAttacher, type SessionOptions } from './session-attacher.js';

// No resolver of a test machine is slow, or down, at a test's command.
const resolver = vi.fn<(host: string) => Promise<unknown>>();
replaceBuiltin(dns, 'lookup', resolver as typeof dns.lookup);
const found = (address: string): Promise<unknown> => Promise.resolve([{ address, family: 4 }]);

beforeEach(() => void resolver.mockReset());

const newClient = (sessionTimeoutMs: number): ZooKeeperClient =>
  ({
    ...{ session: { id: 'a1', password: 'p' }, sessionTimeoutMs, server: 's' },
    proveSession: () => Promise.resolve(),
    close: () => Promise.resolve(true),
  }) as unknown as ZooKeeperClient;

const IGNORED = { onNode: () => undefined, onEnd: () => undefined };

function newAttacher(
  connect: ZooKeeperConnector['connect'],
  options: Partial<SessionOptions> = {},
  clock = new Clock(),
): SessionAttacher {
  return new SessionAttacher(
    {
      connectString: parseConnectString('zk.example'),
      ...{ sessionTimeoutMs: 10_000, tickTimeMs: 1 },
      connector: { description: 'a test', load: () => undefined, connect },
      isInUse: () => false,
      ...options,
    },
    clock,
  );
}

/** Attaches one session after the other, and tells where. */
function attachRepeatedly(sessionTimeoutMs: number): () => Promise<string> {
  const client = newClient(sessionTimeoutMs);
  const connect = vi.fn(({ address }: ConnectRequest) => {
    hosts.push(address.host);
    return Promise.resolve({ ...client, server: `${address.host}:2181` });
  });
  const hosts: string[] = [];
  const attacher = newAttacher(connect, { sessionTimeoutMs });
  return async () => {
    await attacher.attach(undefined, IGNORED);
    return hosts.at(-1)!;
  };
}

it('reads the root right after the transaction that proves the session, and waits for both answers at once', async () => {
  const sent: string[] = [];
  let answer!: () => void;
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const client = {
    ...{ session: { id: 'a1', password: 'p' }, sessionTimeoutMs: 10_000, server: 's' },
    proveSession: () => (sent.push('proof'), answered),
    get: (path: string) => {
      sent.push(path);
      return answered.then(() =>
        Promise.reject(new ZooKeeperError(ReturnCode.noAuth, 'get', path)),
      );
    },
  } as unknown as ZooKeeperClient;
  const connect = vi.fn(() => Promise.resolve(client));
  const attacher = newAttacher(connect, { root: '/app/locks' });
  resolver.mockImplementation(() => found('127.0.0.1'));
  const attaching = attacher.attach(undefined, IGNORED);
  await expect.poll(() => sent).toEqual(['proof', '/app/locks']);
  answer();
  await expect(attaching).resolves.toMatchObject({
    ...{ isRootHidden: true, configuredServer: 'zk.example:2181' },
  });
});

it('tells the holder of a lease at once if the session turns out to be over behind the handshake', async () => {
  resolver.mockImplementation(() => found('127.0.0.1'));
  const expired = new ZooKeeperError(ReturnCode.sessionExpired, 'create', '/');
  const isOver = { proveSession: () => Promise.reject(expired), abandon: () => undefined };
  let client = newClient(10_000);
  const attacher = newAttacher(() => Promise.resolve(client));
  const { lease } = await attacher.attach(undefined, IGNORED);
  client = { ...client, ...isOver };
  await expect(attacher.attach(lease, IGNORED)).rejects.toBe(expired);
  expect(lease.lossReason).toBe('session-expired');
});

it('keeps a connection whose busy server refuses the proof of the session at first', async () => {
  resolver.mockImplementation(() => found('127.0.0.1'));
  const throttled = new ZooKeeperError(ReturnCode.throttledOp, 'create', '/');
  const proveSession = vi.fn(() => Promise.resolve()).mockRejectedValueOnce(throttled);
  const client = { ...newClient(10_000), proveSession };
  const connect = vi.fn(() => Promise.resolve(client));
  await expect(newAttacher(connect).attach(undefined, IGNORED)).resolves.toMatchObject({ client });
  expect(connect).toHaveBeenCalledOnce();
  expect(proveSession).toHaveBeenCalledTimes(2);
});

it('asks a busy server for no further proof once the lease is over, which would keep the session alive', async () => {
  resolver.mockImplementation(() => found('127.0.0.1'));
  const throttled = new ZooKeeperError(ReturnCode.throttledOp, 'create', '/');
  let client = newClient(10_000);
  const attacher = newAttacher(() => Promise.resolve(client));
  const { lease } = await attacher.attach(undefined, IGNORED);
  const proveSession = vi.fn(() => Promise.reject(throttled));
  client = { ...client, proveSession };
  const attaching = attacher.attach(lease, IGNORED);
  await expect.poll(() => proveSession).toHaveBeenCalled();
  lease.end('lease-expired');
  await expect(attaching).rejects.toBe(throttled);
});

it('begins a session although the root exceeds its quota', async () => {
  resolver.mockImplementation(() => found('127.0.0.1'));
  const exceeded = new ZooKeeperError(ReturnCode.quotaExceeded, 'setData', '/locks');
  const requests = { get: () => Promise.resolve(), set: () => Promise.reject(exceeded) };
  const client = { ...newClient(10_000), ...requests } as unknown as ZooKeeperClient;
  const restricted = { root: '/locks', restrictsNodes: true };
  const attacher = newAttacher(() => Promise.resolve(client), restricted);
  await expect(attacher.attach(undefined, IGNORED)).resolves.toMatchObject({ isRootOpen: true });
});

it("does not wait for a slow resolver if it knows addresses, and uses the resolver's answer later", async () => {
  const attach = attachRepeatedly(60);
  resolver.mockImplementationOnce(() => found('10.0.0.1'));
  expect(await attach()).toBe('10.0.0.1');
  let answer!: (found: unknown) => void;
  resolver.mockReturnValueOnce(new Promise((resolve) => (answer = resolve)));
  expect(await attach()).toBe('10.0.0.1');
  // Nor is it asked again meanwhile.
  expect(await attach()).toBe('10.0.0.1');
  expect(resolver).toHaveBeenCalledTimes(2);
  answer([{ address: '10.0.0.2', family: 4 }]);
  await expect.poll(attach).toBe('10.0.0.2');
});

it('tries no more than one address that is no longer there, however many have moved since they were resolved', async () => {
  const addressesIn = (net: string): string[] => [1, 2, 3, 4, 5].map((host) => `${net}.${host}`);
  const answerWith = (net: string): void =>
    void resolver.mockResolvedValue(addressesIn(net).map((address) => ({ address, family: 4 })));
  const tried: string[] = [];
  let there = '10.0.0';
  const connect = ({ address: { host } }: ConnectRequest): Promise<ZooKeeperClient> => {
    tried.push(host);
    const server = `${host}:2181`;
    return host.startsWith(there)
      ? Promise.resolve({ ...newClient(10_000), server } as ZooKeeperClient)
      : Promise.reject(new ZooKeeperError(ReturnCode.operationTimeout, 'connect', server));
  };
  const attacher = newAttacher(connect);
  const attach = async (): Promise<unknown> => attacher.attach(undefined, IGNORED);
  answerWith(there);
  await attach();
  // As in a cluster whose servers are replaced one by one, the one of this connection last.
  there = '10.0.1';
  answerWith(there);
  tried.length = 0;
  await expect(attach()).rejects.toThrow(ZooKeeperError);
  await nextTurn();
  await attach();
  expect(tried).toHaveLength(2);
});

/** A client whose requests are unanswered until it is abandoned. */
function newMuteClient(): ZooKeeperClient {
  let abandon!: () => void;
  const abandoned = new Promise<void>((resolve) => (abandon = resolve));
  const unanswered = async (): Promise<void> => {
    await abandoned;
    throw new ZooKeeperError(ReturnCode.connectionLoss, 'delete', '/');
  };
  const close = (): Promise<boolean> => abandoned.then(() => false);
  return Object.assign(newClient(30), { abandon, close, proveSession: unanswered });
}

it('drops the connection if the end of a session that it cannot use is not answered', async () => {
  const refused = new ZooKeeperError(ReturnCode.noAuth, 'delete', '/');
  const proveSession = (): Promise<void> => Promise.reject(refused);
  const client = Object.assign(newMuteClient(), { proveSession });
  const abandon = vi.spyOn(client, 'abandon');
  const connectString = parseConnectString('10.0.0.1');
  const attacher = newAttacher(() => Promise.resolve(client), { connectString });
  await expect(attacher.attach(undefined, IGNORED)).rejects.toBe(refused);
  expect(abandon).toHaveBeenCalledOnce();
});

it('waits no longer than a session for answers behind the handshake, or for the end of a session', async () => {
  const clients: ZooKeeperClient[] = [];
  const connect = (): Promise<ZooKeeperClient> =>
    Promise.resolve(clients.shift() ?? newMuteClient());
  const connectString = parseConnectString('10.0.0.1');
  const attacher = newAttacher(connect, { connectString, sessionTimeoutMs: 30 });
  await expect(attacher.attach(undefined, IGNORED)).rejects.toThrow(ZooKeeperError);
  clients.push(newClient(30));
  const { lease } = await attacher.attach(undefined, IGNORED);
  lease.end('lease-expired');
  attacher.orphaned(lease);
  clients.push(newClient(30_000));
  await expect(attacher.attach(undefined, IGNORED)).rejects.toMatchObject({ request: 'close' });
});

it('ends a session that was given up on the server that has just answered, because another may be down', async () => {
  const asked: string[] = [];
  const connect = ({ address: { host }, session }: ConnectRequest): Promise<ZooKeeperClient> => {
    asked.push(host);
    // The second time, the server confirms that the session is gone.
    const isOver = session && asked.length > 3;
    if (!isOver) return Promise.resolve(newClient(10_000));
    return Promise.reject(new ZooKeeperError(ReturnCode.sessionExpired, 'connect', host));
  };
  const connectString = parseConnectString('10.0.0.1,10.0.0.2,10.0.0.3');
  const attacher = newAttacher(connect, { connectString });
  const { lease } = await attacher.attach(undefined, IGNORED);
  lease.end('lease-expired');
  attacher.orphaned(lease);
  await attacher.attach(undefined, IGNORED);
  const [, next, ...ending] = asked;
  expect(ending).toEqual([next, next]);
});

/** A far server: each round trip takes a quarter of a second. */
function openFar() {
  const rttMs = 250;
  let now = 0;
  const time = (): number => now;
  const clock = new Clock({ monotonic: time, wall: time });
  const sent: string[] = [];
  const ask = (request: string, roundTrips = 1): Promise<void> => {
    sent.push(request);
    now += roundTrips * rttMs;
    return Promise.resolve();
  };
  let isClosed = false;
  const client = {
    ...newClient(4_000),
    proveSession: () => ask('proof'),
    close: () => ask('close').then(() => (isClosed = true)),
  };
  const connect = async ({ session, address }: ConnectRequest): Promise<ZooKeeperClient> => {
    await ask('connect', 2);
    if (!session || !isClosed) return client;
    throw new ZooKeeperError(ReturnCode.sessionExpired, 'connect', address.host);
  };
  const options = { sessionTimeoutMs: 4_000, tickTimeMs: 2_000 };
  const connectString = parseConnectString('10.0.0.1');
  const attacher = newAttacher(connect, { ...options, connectString }, clock);
  const beat = (lease: SessionLease): void => {
    now += 400;
    lease.answered(now - rttMs, { isProof: true });
  };
  return { attacher, sent, beat, clock };
}

it('proves a session again behind the end of another one, whose nodes its server might still show', async () => {
  const { attacher, sent } = openFar();
  const { lease } = await attacher.attach(undefined, IGNORED);
  lease.end('lease-expired');
  attacher.orphaned(lease);
  sent.length = 0;
  await attacher.attach(undefined, IGNORED);
  expect(sent).toEqual(['connect', 'proof', 'connect', 'close', 'connect', 'proof']);
});

it('keeps the lease of a session that begins with the end of another one, on a far server', async () => {
  const { attacher, beat, clock } = openFar();
  const { lease: before } = await attacher.attach(undefined, IGNORED);
  before.end('lease-expired');
  attacher.orphaned(before);
  const { lease } = await attacher.attach(undefined, IGNORED);
  const attachedAt = clock.now();
  while (clock.now() - attachedAt < 10_000) {
    beat(lease);
    expect(lease.isValid()).toBe(true);
  }
});
