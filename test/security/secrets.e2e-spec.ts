import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { Inject, Injectable, type LoggerService, Module } from '@nestjs/common';
import { NestFactory, SerializedGraph } from '@nestjs/core';
import { LockService, ZkLockModule } from 'nestjs-zk-lock';
import { onLockEvents } from 'nestjs-zk-lock/events';
import { ZkLockHealthIndicator, ZkLockHealthModule } from 'nestjs-zk-lock/health';
import { expect, it, onTestFinished } from 'vitest';
import { describeSession } from '../../libs/nestjs-zk-lock/src/health/session-health.js';
import type { LocksOptions } from 'zk-locks';
import { silentLogger, type ZkLockLogger } from '../../libs/zk-client/src/logger.js';
import { freePort } from '../support/free-port.js';
import { shortSession, TestLocks } from '../support/locks.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';
import { credentials, digest, openRestrictedPlace } from './support/place.js';
import { openProxy } from '../support/open-proxy.js';

const WRONG = 'letmein-2846';
const clear = [digest, credentials.password, `${credentials.username}:${WRONG}`, WRONG];

/** The secrets in plain text, in base64, and hashed as by the servers. */
const SECRETS = clear.flatMap((text) => {
  const hash = createHash('sha1').update(text).digest();
  const encoded = [Buffer.from(text).toString('base64'), Buffer.from(text).toString('hex')];
  return [text, ...encoded, hash.toString('base64'), hash.toString('hex')];
});

/** The secrets found in any textual form of a value. */
function secretsIn(value: unknown, more: readonly string[] = []): string[] {
  const texts = [inspect(value, { depth: Infinity, showHidden: true, maxArrayLength: null })];
  try {
    texts.push(JSON.stringify(value));
  } catch {
    // JSON cannot represent cycles.
  }
  if (value instanceof Error) texts.push(String(value), value.stack ?? '');
  return [...SECRETS, ...more].filter((secret) => texts.some((text) => text.includes(secret)));
}

class NestRecorder implements LoggerService {
  readonly lines: unknown[] = [];
  readonly #note = (...line: unknown[]): void => void this.lines.push(line);
  readonly log = this.#note;
  readonly warn = this.#note;
  readonly error = this.#note;
  readonly debug = this.#note;
  readonly verbose = this.#note;
}

async function start(options: Partial<LocksOptions>, logger: ZkLockLogger = silentLogger) {
  const servers = sharedServer().connectString;
  const locks = new TestLocks({ servers, credentials, ...options }, logger);
  onTestFinished(() => locks.close());
  await locks.start();
  return locks;
}

it('shows none in a log, over connecting, reconnecting, expiry and refusals', async () => {
  const { root, insider } = await openRestrictedPlace();
  await insider.create(root);
  const proxy = await openProxy();
  const logger = new RecordingLogger();
  const { lines } = logger;
  // Long enough to reconnect on a busy machine.
  const session = { sessionTimeoutMs: 8_000, tickTimeMs: shortSession.tickTimeMs };
  const locks = await start({ root, servers: proxy.connectString, ...session }, logger);
  await locks.withLock('k', () => undefined);
  await proxy.cut();
  await waitFor(() => lines.some((line) => line.startsWith('log: Reconnected')), {
    what: 'a new one',
  });
  await proxy.freeze();
  const loss = { what: 'the loss', timeoutMs: 2 * session.sessionTimeoutMs };
  await waitFor(() => lines.some((line) => line.includes('is lost')), loss);
  await proxy.thaw();
  await locks.withLock('k', () => undefined);

  // Keeps the directory, which ZooKeeper would remove when it is empty: the next client could
  // create it anew.
  const owner = await start({ root });
  await using held = await owner.acquire('k');
  const password = WRONG;
  const impostor = await start({ root, credentials: { ...credentials, password } }, logger);
  await expect(impostor.acquire('k')).rejects.toThrow('refused access');
  expect(held.isHeld).toBe(true);
  expect(lines.join('\n')).toMatch(
    /is open to every client.*Lost the connection.*Reconnected.*is lost.*Connected/s,
  );
  expect(secretsIn(lines)).toEqual([]);
});

it('shows none in errors, nor the session password', async () => {
  const { root } = await openRestrictedPlace();
  const locks = await start({ root });
  const lock = await locks.acquire('k');
  const { credentials: session } = await locks.session.whenConnected(AbortSignal.timeout(1_000));
  expect(session.password).toMatch(/./);
  const other = await start({ root, credentials: { ...credentials, password: WRONG } });
  const dead = `127.0.0.1:${await freePort()}`;
  const failures = await Promise.allSettled([
    locks.acquire('k', { timeoutMs: 20, reentrant: false }),
    locks.acquire(''),
    other.acquire('k'),
    other.inspect('k'),
    start({ root, servers: dead, connectTimeoutMs: 100 }),
    start({ root, servers: `${digest}@zk:2181` }),
    start({ root, servers: `zks://${digest}@zk:2181` }),
    start({ root, credentials: { username: digest, password: WRONG } }),
    start({ root, credentials: digest as never }),
    start({ root, auth: digest } as never),
  ]);
  await lock.release();
  for (const failure of failures) {
    expect(failure.status).toBe('rejected');
    expect(secretsIn((failure as PromiseRejectedResult).reason, [session.password])).toEqual([]);
  }
});

/** Finds the session's id, from which ZooKeeper computes the password that ends a session. */
function sessionIdIn(value: unknown, sessionId: string): string[] {
  const id = BigInt(`0x${sessionId}`);
  const spellings = [id.toString(16), id.toString(), BigInt.asIntN(64, id).toString()];
  const text = inspect(value, { depth: Infinity, showHidden: true, maxArrayLength: null });
  return spellings.filter((spelling) => text.toLowerCase().includes(spelling));
}

it('shows session ids in the state of the session only: not in logs, errors, inspections, events and health details', async () => {
  const { root } = await openRestrictedPlace();
  const proxy = await openProxy();
  const logger = new RecordingLogger();
  const events: unknown[] = [];
  onTestFinished(onLockEvents({ session: (event) => events.push(event) }));
  const locks = await start({ root, servers: proxy.connectString }, logger);
  const { state } = locks.session.snapshot;
  const { sessionId } = state as { sessionId: string };
  expect(sessionIdIn(state, sessionId)).not.toEqual([]);

  await using lock = await locks.acquire('k');
  const semaphore = locks.semaphore('s', { permits: 1 });
  await using permit = await semaphore.acquire();
  const others = await start({ root });
  const errors = await Promise.allSettled([
    others.acquire('k', { timeoutMs: 500 }),
    others.semaphore('s', { permits: 1 }).acquire({ timeoutMs: 500 }),
  ]);
  await proxy.cut();
  await waitFor(() => logger.lines.some((line) => line.startsWith('log: Reconnected')), {
    what: 'a reconnect',
  });
  expect(sessionIdIn(locks.session.snapshot, sessionId)).not.toEqual([]);
  const left = {
    ...{ locks, lock, permit, errors, events, lines: logger.lines },
    inspections: [await others.inspect('k'), await semaphore.inspect()],
    health: describeSession(locks.session.snapshot),
  };
  for (const [name, value] of Object.entries(left)) {
    expect([name, ...sessionIdIn(value, sessionId)]).toEqual([name]);
  }
});

it('shows none through Nest: the service, its health, the graph of modules, and failing injection', async () => {
  const { root } = await openRestrictedPlace();
  const logger = new NestRecorder();
  const options = { servers: sharedServer().connectString, root, credentials };

  @Injectable()
  class Orders {
    constructor(
      @Inject('MISSING') readonly missing: unknown,
      readonly locks: LockService,
    ) {}
  }
  // Nest does not close an application whose start has failed, and the client would continue to
  // connect.
  let keep!: (locks: LockService) => void;
  const kept = new Promise<LockService>((resolve) => (keep = resolve));
  onTestFinished(async () => (await kept).onApplicationShutdown());
  const keeper = { provide: 'KEEPER', inject: [LockService], useFactory: keep };
  @Module({ imports: [ZkLockModule.forRoot(options), ZkLockHealthModule] })
  class Working {}
  @Module({ imports: [ZkLockModule.forRoot(options)], providers: [keeper, Orders] })
  class Broken {}

  const app = await NestFactory.createApplicationContext(Working, { logger, snapshot: true });
  onTestFinished(() => app.close());
  const locks = app.get(LockService);
  await locks.withLock('k', () => undefined);
  const health = app.get(ZkLockHealthIndicator).isHealthy('zookeeper');
  const graph = app.get(SerializedGraph).toJSON();
  for (const value of [locks, health, graph, locks.session.snapshot]) {
    expect(secretsIn(value)).toEqual([]);
  }
  const failure: unknown = await NestFactory.createApplicationContext(Broken, {
    logger,
    abortOnError: false,
  }).catch((error: unknown) => error);
  expect(String(failure)).toContain('resolve dependencies');
  expect(secretsIn(failure)).toEqual([]);
  expect(logger.lines.length).toBeGreaterThan(5);
  expect(secretsIn(logger.lines)).toEqual([]);
});
