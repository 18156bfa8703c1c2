import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { LocksOptions } from 'zk-locks';
import { openBlindProxy } from '../../support/open-proxy.js';
import { freePort } from '../../support/free-port.js';
import { lossOf, openLocks, type TestLocks } from '../../support/locks.js';
import { startSaslServer } from '../../support/sasl-server.js';
import { uniqueRoot } from '../../support/shared-server.js';
import { makeTempDir, removeTempDir } from '../../support/temp-dir.js';
import { waitFor } from '../../support/wait-for.js';
import { ZooKeeperServer } from '../../support/zookeeper-server.js';
import { HOST, makeCertificate, speakingTls, STORE_PASSWORD } from '../support/certificates.js';
import { credentials } from '../support/place.js';
import { connect } from '../../support/connect.js';
import { credentialsOf } from '../../support/session-outsider.js';

/** Far longer than a test, so that no lock is lost because its session expires. */
const sessionTimeoutMs = 30_000;

function sessionOf(locks: TestLocks): string {
  return (locks.session.snapshot.state as { sessionId: string }).sessionId;
}

/** A holder behind a proxy, and another process that waits for its lock. */
async function openHolder(port: number, options: Partial<LocksOptions>) {
  const proxy = await openBlindProxy(port);
  const all = { root: uniqueRoot(), sessionTimeoutMs, acl: 'open', ...options } as const;
  const [locks, others] = [
    await openLocks({ servers: proxy.connectString, ...all }),
    await openLocks({ servers: `127.0.0.1:${port}`, ...all }),
  ];
  const lock = await locks.acquire('k');
  const waiting = others.acquire('k', { timeoutMs: Infinity });
  await waitFor(async () => (await others.inspect('k')).waiters.length === 1, {
    what: 'the waiter',
  });
  const states: string[] = [];
  const stopWatching = locks.session.onState(({ name }) => states.push(name));
  onTestFinished(stopWatching);
  const session = credentialsOf(sessionOf(locks));
  return { proxy, locks, others, lock, waiting, session, states };
}

type Holder = Awaited<ReturnType<typeof openHolder>>;

/**
 * Checks that the lock is granted again while its holder is cut off and cannot know of the loss.
 */
async function expectTwoHolders({ proxy, lock, waiting }: Holder): Promise<void> {
  const next = await waiting;
  expect([lock.isHeld, next.isHeld]).toEqual([true, true]);
  await proxy.thaw();
  await lossOf(lock);
  await next.release();
}

/** Checks that the session lives on with its lock, and connects again. */
async function expectKept({ proxy, locks, others, lock, waiting, session }: Holder): Promise<void> {
  const queue = await others.inspect('k', { linearizable: true });
  expect([queue.holders.length, queue.waiters.length]).toEqual([1, 1]);
  await proxy.thaw();
  await waitFor(() => locks.session.snapshot.state.name === 'connected', { what: 'a connection' });
  expect(credentialsOf(sessionOf(locks))).toEqual(session);
  expect(lock.isHeld).toBe(true);
  await lock.release();
  await (await waiting).release();
}

describe('servers as they are by default', () => {
  let port: number;

  beforeAll(async () => {
    const server = await ZooKeeperServer.start();
    ({ port } = server);
    return () => server.stop();
  });

  it('end the session of a holder for an outsider, who guesses its id: two hold at once', async () => {
    const holder = await openHolder(port, { client: 'wire', credentials });
    const own = await connect(port);
    onTestFinished(async () => {
      await own.close();
    });
    // Ids are consecutive, and this session began soon after the holder's.
    expect(BigInt(`0x${own.session.id}`) - BigInt(`0x${holder.session.id}`)).toBeLessThan(20n);

    const lease = await holder.locks.session.whenConnected(AbortSignal.timeout(5_000));
    expect(holder.session.password).toBe(lease.credentials.password.toLowerCase());
    await holder.proxy.freeze();
    const outsider = await connect(port, { session: holder.session });
    expect(await outsider.close()).toBe(true);
    await expectTwoHolders(holder);
  });

  it('drop the connection of a holder for an outsider with a wrong password; it reconnects, and keeps its lock', async () => {
    const holder = await openHolder(port, { client: 'wire', credentials });
    const wrong = { id: holder.session.id, password: '00'.repeat(16) };
    // The server may close the connection before its answer has left.
    await expect(connect(port, { session: wrong })).rejects.toThrow(/session|connection lost/);
    await waitFor(() => holder.states.length === 3, { what: 'a reconnect' });
    expect(holder.states).toEqual(['connected', 'suspended', 'connected']);
    await expectKept(holder);
  });
});

const user = { ...credentials, scheme: 'sasl' } as const;
const users = { [user.username]: user.password };

describe.each<Readonly<Record<string, string>>>([
  { 'zookeeper.sessionRequireClientSASLAuth': 'true' },
  { 'zookeeper.enforce.auth.enabled': 'true', 'zookeeper.enforce.auth.schemes': 'sasl' },
])('servers that serve users of SASL only (%j)', (systemProperties) => {
  let port: number;

  beforeAll(async () => {
    // The shortest timeout that these servers grant is the holder's.
    const options = { systemProperties, minSessionTimeoutMs: sessionTimeoutMs };
    const server = await startSaslServer(users, options);
    ({ port } = server);
    return () => server[Symbol.asyncDispose]();
  });

  it('neither end nor shorten a session for an outsider', async () => {
    const holder = await openHolder(port, { client: 'wire', credentials: user });
    const { session } = holder;
    await holder.proxy.freeze();
    const outsider = await connect(port, { session, sessionTimeoutMs });
    expect(await outsider.close()).toBe(false);
    const shortening = { session, sessionTimeoutMs: 1, maxSessionTimeoutMs: Infinity };
    const another = await connect(port, shortening);
    expect(another.sessionTimeoutMs).toBe(sessionTimeoutMs);
    another.abandon();
    await expectKept(holder);
  });
});

describe('servers that ask for a certificate', () => {
  let folder: string;
  let port: number;

  beforeAll(async () => {
    folder = makeTempDir('client-auth');
    port = await freePort();
    const names = ['server', 'billing', 'stranger'];
    await Promise.all(names.map((name) => makeCertificate(folder, name)));
    const server = await ZooKeeperServer.start({
      extraConfig: {
        ...speakingTls(folder, port, 'need'),
        'ssl.trustStore.location': join(folder, 'billing.pem'),
      },
    });
    return async () => {
      await server.stop();
      removeTempDir(folder);
    };
  });

  function tlsAs(name: string | undefined) {
    const trusted = { ca: readFileSync(join(folder, 'server.pem')), servername: HOST };
    if (name === undefined) return trusted;
    return {
      ...trusted,
      pfx: readFileSync(join(folder, `${name}.p12`)),
      passphrase: STORE_PASSWORD,
    };
  }

  it('neither end, shorten nor disconnect a session for an outsider with a certificate that they do not trust', async () => {
    const holder = await openHolder(port, { client: 'wire', credentials, tls: tlsAs('billing') });
    await holder.proxy.freeze();
    const { session } = holder;
    const tls = tlsAs('stranger');
    await expect(connect(port, { session, tls, sessionTimeoutMs: 1 })).rejects.toThrow(/connect/);
    await expectKept(holder);
    expect(holder.states).toEqual(['connected']);
  });
});
