import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { ErrorCode } from 'zk-protocol';
import { DIALECT_NAMES } from '../../libs/zk-locks/src/queue/dialect.js';
import { LockDirectoryError } from '../../libs/zk-locks/src/lock-errors.js';
import type { LocksOptions } from 'zk-locks';
import type { InspectError } from '../support/inspect-client.js';
import { openInspector, openLocks, TestLocks } from '../support/locks.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { startServer, type TestServer } from '../support/test-server.js';
import { waitFor } from '../support/wait-for.js';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
}, 90_000);
afterAll(() => server.stop());

/** The directory of the key `k` below a root of the test's own, which counts from `next` on. */
async function openDirectory(next: number, part = '') {
  const root = `/test-${randomUUID()}`;
  const directory = `${root}/k${part}`;
  const inspector = await openInspector(server.connectString);
  const paths = directory.split('/').map((_, index, names) => names.slice(0, index + 1).join('/'));
  for (const path of paths.slice(1)) await inspector.create(path);
  await server.setNextSequence(directory, next);
  await waitFor(() => inspector.exists(directory).catch(() => undefined), {
    what: 'the inspector to reconnect',
    timeoutMs: 30_000,
  });
  const empty = (): Promise<unknown> =>
    waitFor(async () => (await inspector.children(directory)).length === 0, {
      what: 'all nodes to go',
    });
  const open = (options: Partial<LocksOptions> = {}): Promise<TestLocks> =>
    openLocks({ servers: server.connectString, root, ...options });
  return { root, directory, inspector, empty, open };
}

/** One of many that compete for a key; `most` is how many have held it at one time. */
class Guarded {
  readonly tokens: bigint[] = [];
  most = 0;
  #inside = 0;

  async enter(locks: TestLocks): Promise<unknown> {
    try {
      const lock = await locks.acquire('k');
      this.most = Math.max(this.most, ++this.#inside);
      this.tokens.push(lock.fencingToken);
      await sleep(20);
      this.#inside--;
      await lock.release();
      return 'granted';
    } catch (error) {
      return error;
    }
  }
}

it.each(DIALECT_NAMES)(
  'gives 24 contenders a token each or a LockDirectoryError, never the lock to two (%s)',
  { timeout: 90_000 },
  async (dialect) => {
    const { directory, inspector, empty, open } = await openDirectory(2_147_483_640);
    const replicas = [await open({ dialect }), await open({ dialect }), await open({ dialect })];
    const guarded = new Guarded();
    const outcomes = [guarded.enter(replicas[0]!)];
    await waitFor(() => guarded.tokens.length === 1, { what: 'the first grant' });
    for (let index = 0; index < 23; index++) {
      outcomes.push(guarded.enter(replicas[index % 3]!));
      // The next one comes while one of these holds the lock.
      await sleep(15);
    }
    const errors = (await Promise.all(outcomes)).filter((outcome) => outcome !== 'granted');

    expect(guarded.most).toBe(1);
    expect(guarded.tokens).toEqual(guarded.tokens.toSorted((a, b) => (a < b ? -1 : 1)));
    expect(errors.length).toBeGreaterThan(0);
    for (const error of errors) expect(error).toBeInstanceOf(LockDirectoryError);

    // As the error tells the operator.
    await empty();
    await inspector.delete(directory);
    await using lock = await replicas[1]!.acquire('k');
    expect(lock.fencingToken).toBeGreaterThan(guarded.tokens.at(-1)!);
    expect(await replicas[1]!.inspect('k')).toMatchObject({ lastSequence: 0 });
  },
);

it('leaves the holder of the last number its lock, and refuses all who come after', async () => {
  const { root, directory, inspector, empty, open } = await openDirectory(2_147_483_645);
  const logger = new RecordingLogger();
  const holders = new TestLocks({ servers: server.connectString, root }, logger);
  onTestFinished(() => holders.close());
  await holders.start();
  const others = await open();
  await (await holders.acquire('k')).release();
  const lock = await holders.acquire('k');
  expect(await others.inspect('k')).toMatchObject({ lastSequence: 2_147_483_646 });

  expect(await others.tryAcquire('k')).toBeNull();
  for (const mode of ['write', 'read'] as const) {
    await expect(others.acquire('k', { mode })).rejects.toThrow(LockDirectoryError);
    await expect(holders.acquire('k', { mode, reentrant: false })).rejects.toThrow(
      `The sequence counter of ${directory} has reached its end`,
    );
  }
  await waitFor(async () => (await inspector.children(directory)).length === 1, {
    what: 'the nodes of the others to go',
  });
  lock.assertHeld();
  await lock.release();
  await expect(others.tryAcquire('k')).rejects.toThrow(`zkCli.sh: delete ${directory}`);
  await empty();
  expect(others.counts).toEqual({ held: 0, waiting: 0 });

  const warnings = logger.of('warn').filter((line) => line.includes('sequence counter'));
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain(`${directory} is at 2147483645`);
});

it('refuses an upgrade whose marker has no number, and leaves the upgradable lock', async () => {
  const { directory, inspector, empty, open } = await openDirectory(2_147_483_646);
  const locks = await open();
  const lock = await locks.acquireUpgradable('k');
  await expect(lock.upgrade()).rejects.toThrow(LockDirectoryError);
  lock.assertHeld();
  await waitFor(async () => (await inspector.children(directory)).length === 1, {
    what: 'the marker to go',
  });
  await lock.release();
  await empty();
});

it.each(['/locks', '/leases'])('refuses permits whose directory %s is at its end', async (part) => {
  const { directory, empty, open } = await openDirectory(2_147_483_646, part);
  const semaphore = (await open()).semaphore('k', { permits: 2 });
  const permit = await semaphore.acquire();
  await expect(semaphore.acquire()).rejects.toThrow(`zkCli.sh: delete ${directory}`);
  permit.assertHeld();
  await permit.release();
  await expect(semaphore.tryAcquire()).rejects.toThrow(LockDirectoryError);
  await empty();
});

it('keeps an election open, which goes on when the directory was drained', async () => {
  const { root, directory, inspector, empty } = await openDirectory(2_147_483_647);
  const logger = new RecordingLogger();
  const locks = new TestLocks({ servers: server.connectString, root }, logger);
  onTestFinished(() => locks.close());
  await locks.start();
  const election = locks.election('k');
  await waitFor(() => logger.of('warn').some((line) => line.includes(directory)), {
    what: 'the refusal',
  });
  expect(election.isLeader).toBe(false);
  // A candidate that has just asked once more has its node in it for a moment.
  const drain = async (): Promise<boolean> => {
    await empty();
    const deletion = inspector.delete(directory).then(() => true);
    return deletion.catch((error: unknown) => {
      if ((error as InspectError).code === ErrorCode.notEmpty) return false;
      throw error;
    });
  };
  await waitFor(drain, { what: 'the directory to be drained' });
  await waitFor(() => election.isLeader, { what: 'a leader' });
  await election.close();
});
