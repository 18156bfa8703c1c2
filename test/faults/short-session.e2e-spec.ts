import { expect, it, onTestFinished } from 'vitest';
import { ZkLockConfigError } from '../../libs/zk-client/src/zk-lock-error.js';
import { openLocks, TestLocks } from '../support/locks.js';
import { waitFor } from '../support/wait-for.js';
import { openServer } from '../support/open-servers.js';

const limits = { tickTimeMs: 4_000, minSessionTimeoutMs: 1_000 };

it('reports the loss if a reconnect is granted a session too short for the tick, and refuses to start there', async () => {
  const server = await openServer({ ...limits, maxSessionTimeoutMs: 40_000 });
  const servers = server.connectString;
  // The session outlives a restart on a busy machine.
  const locks = await openLocks({ servers, sessionTimeoutMs: 40_000, tickTimeMs: 4_000 });
  const lock = await locks.acquire('k');
  await server.restart({ maxSessionTimeoutMs: 2_000 });
  await waitFor(() => lock.signal.aborted, { what: 'the loss', timeoutMs: 30_000 });
  expect(lock.signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'session-too-short' });
  expect(() => lock.assertHeld()).toThrow('too short for `tickTimeMs`');
  await expect(locks.acquire('k')).rejects.toThrow(ZkLockConfigError);

  const options = { servers, sessionTimeoutMs: 8_000, tickTimeMs: 4_000, connectTimeoutMs: 60_000 };
  const others = new TestLocks(options);
  onTestFinished(() => others.close());
  const refused: unknown = await others.start().catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ZkLockConfigError);
  expect(refused).toMatchObject({ option: 'sessionTimeoutMs' });
  expect(String(refused)).toMatch(/2000 ms.*`tickTimeMs` of 4000 ms.*3077 or more/);
});

it('loses all locks if a reconnect is granted a session too short for the margin', async () => {
  const limits = { tickTimeMs: 500, minSessionTimeoutMs: 1_000 };
  const server = await openServer({ ...limits, maxSessionTimeoutMs: 40_000 });
  // A restart on a busy machine ends before this session's margin begins.
  const given = { servers: server.connectString, sessionTimeoutMs: 40_000, tickTimeMs: 500 };
  const long = await openLocks({ ...given, marginMs: 5_000 });
  const short = await openLocks({ ...given, marginMs: 1_000 });
  const [lost, kept] = [await long.acquire('long'), await short.acquire('short')];
  await server.restart({ maxSessionTimeoutMs: 4_000 });
  await waitFor(() => lost.signal.aborted, { what: 'the loss', timeoutMs: 30_000 });
  expect(lost.signal.reason).toMatchObject({ reason: 'session-too-short' });
  await waitFor(() => short.session.isConnected, { what: 'the other session' });
  expect(kept.isHeld).toBe(true);
  await expect(long.acquire('k')).rejects.toThrow(
    '`marginMs` of 5000 ms is too long for a session of 4000 ms',
  );
});
