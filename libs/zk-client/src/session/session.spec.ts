import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ReturnCode, ZooKeeperError } from '../port/client-errors.js';
import { parseConnectString } from '../port/connect-string.js';
import type {
  ConnectRequest,
  Operation,
  ZooKeeperClient,
  ZooKeeperConnector,
} from '../port/zookeeper-client.js';
import { silentLogger } from '../logger.js';
import { Clock } from './clock.js';
import { Session } from './session.js';
import type { SessionOptions } from './session-attacher.js';

const T = 6_000;

const QUOTA_EXCEEDED = -125;

/** Sessions, and a client that reaches them while the test wants it to. */
function openSessions() {
  const alive = new Set<string>();
  const state = { isReachable: true, attempts: 0, begun: 0, isGated: false };
  const gates: (() => void)[] = [];
  const failure = (code: number): Promise<never> =>
    Promise.reject(new ZooKeeperError(code, 'connect', 's'));
  const connect = async ({ session }: ConnectRequest): Promise<ZooKeeperClient> => {
    state.attempts++;
    if (state.isGated) await new Promise<void>((resolve) => gates.push(resolve));
    if (!state.isReachable) return failure(ReturnCode.connectionLoss);
    const id = session?.id ?? String(++state.begun);
    if (session && !alive.has(id)) return failure(ReturnCode.sessionExpired);
    alive.add(id);
    return Promise.resolve({
      ...{ session: { id, password: 'p' }, sessionTimeoutMs: T, server: 's' },
      proveSession: () => Promise.resolve(),
      sync: () => Promise.resolve(),
      abandon: () => undefined,
      close: () => Promise.resolve(alive.delete(id)),
    } as unknown as ZooKeeperClient);
  };
  return {
    alive,
    state,
    gates,
    connector: { description: 'a test', load: () => undefined, connect },
  };
}

/** A connector whose connections have these requests as well. */
const withRequests = (connector: ZooKeeperConnector, requests: object): ZooKeeperConnector => ({
  ...connector,
  connect: async (request) => Object.assign(await connector.connect(request), requests),
});

function newSession(
  options: Pick<SessionOptions, 'connector'> & Partial<SessionOptions>,
  logger = silentLogger,
): Session {
  const connectString = parseConnectString('127.0.0.1:2181');
  const times = { sessionTimeoutMs: T, tickTimeMs: 1_000 };
  return new Session({ connectString, ...times, isInUse: () => true, ...options }, logger);
}

it('ends a session that was given up even if it is closed between two attempts to connect', async () => {
  const { alive, state, connector } = openSessions();
  const session = newSession({ connector });
  session.start();
  const lease = await session.whenConnected(new AbortController().signal);
  state.isReachable = false;
  const pausing = new Promise<void>((resolve) => {
    // A pause draws its length as it begins.
    const random = vi.spyOn(Math, 'random').mockImplementation(() => {
      resolve();
      return 0.99;
    });
    onTestFinished(() => random.mockRestore());
  });
  session.giveUp(lease);
  await pausing;
  expect(state.attempts).toBe(2);
  state.isReachable = true;
  await session.close({ timeoutMs: 2_000 });
  expect([...alive]).toEqual([]);
});

it('leaves no session behind if a new one begins while it ends the one that was given up', async () => {
  const { alive, state, gates, connector } = openSessions();
  const session = newSession({ connector });
  session.start();
  const lease = await session.whenConnected(new AbortController().signal);
  state.isGated = true;
  session.giveUp(lease);
  await expect.poll(() => gates).toHaveLength(1);
  const closing = session.close({ timeoutMs: 1_000 });
  // After half of its time, closing ends the session by an attempt of its own.
  await expect.poll(() => gates).toHaveLength(2);
  state.isGated = false;
  gates[0]?.();
  await expect.poll(() => [...alive]).toEqual([]);
  gates[1]?.();
  await closing;
  expect(session.isConnected).toBe(false);
});

it('is not connected with a session that is over by then', async () => {
  const { connector } = openSessions();
  let now = 0;
  let stalls = 1;
  const log = (message: string): void => {
    if (message.startsWith('Connected') && stalls-- > 0) now += 2 * T;
  };
  const clock = new Clock({ monotonic: () => now, wall: () => now });
  const session = newSession({ connector, clock }, { ...silentLogger, log });
  const states: string[] = [];
  session.onState(({ name }) => void states.push(name));
  session.start();
  await expect.poll(() => session.isConnected).toBe(true);
  await session.close({ timeoutMs: 2_000 });
  expect(states).toEqual(['connecting', 'lost', 'connecting', 'connected', 'closed']);
});

it('is refused new nodes as long as a quota has no room, whatever other nodes are created', async () => {
  const { connector } = openSessions();
  const tried = new Set<string>();
  let attempts = 0;
  const transact = ([{ path }]: readonly [Operation]): Promise<never> => {
    attempts++;
    // A stranger creates every node that was tried.
    const code = tried.has(path) ? ReturnCode.nodeExists : QUOTA_EXCEEDED;
    tried.add(path);
    return Promise.reject(new ZooKeeperError(code, 'transact', path));
  };
  const get = () => Promise.resolve({ data: Buffer.alloc(0) });
  const session = newSession({ connector: withRequests(connector, { get, transact }) });
  session.start();
  await session.whenConnected(new AbortController().signal);
  session.access.callRefused('/locks/k', 'ZK_QUOTA_EXCEEDED');
  await expect.poll(() => attempts).toBeGreaterThan(2);
  expect(session.snapshot.refusal).toMatchObject({ code: 'ZK_QUOTA_EXCEEDED' });
  await session.close({ timeoutMs: 2_000 });
});

it('repeats requests that a busy server has throttled', async () => {
  const { connector } = openSessions();
  const answers = [-127, -127, 0];
  const read = vi.fn(() => {
    const code = answers.shift();
    return code === 0
      ? Promise.resolve({ data: Buffer.from('d') })
      : Promise.reject(new ZooKeeperError(code!, 'get', '/k'));
  });
  const session = newSession({ connector: withRequests(connector, { get: read }) });
  session.start();
  const lease = await session.whenConnected(new AbortController().signal);
  await expect(session.get(lease, '/k')).resolves.toMatchObject({ data: Buffer.from('d') });
  expect(read).toHaveBeenCalledTimes(3);
  await session.close({ timeoutMs: 2_000 });
});

it('is closed for each caller only when the server has ended the session', async () => {
  const { alive, connector } = openSessions();
  let answer!: () => void;
  const asked = new Promise<void>((resolve) => (answer = resolve));
  const close = async (): Promise<boolean> => {
    await asked;
    return alive.delete('1');
  };
  const session = newSession({ connector: withRequests(connector, { close }) });
  session.start();
  await session.whenConnected(new AbortController().signal);
  const first = session.close({ timeoutMs: 5_000 });
  const second = session.close({ timeoutMs: 5_000 }).then(() => [...alive]);
  await nextTurn();
  answer();
  await first;
  expect(await second).toEqual([]);
});
