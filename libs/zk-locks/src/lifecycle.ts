import type { Parts } from './compose.js';
import { withinMs } from './grant/active-locks.js';
import { LockServiceClosedError } from './lock-errors.js';
import { unavailableError } from './queue/wait.js';
import { ZkLockConfigError } from 'zk-client/session';

/** How long closing waits for the last deletions and for the session's end, in ms. */
const FAREWELL_MS = 1_000;

/** Begins to connect; closes everything where that fails. */
export async function startAll(
  parts: Parts,
  wait: boolean,
  close: () => Promise<void>,
): Promise<void> {
  const { session, activeLocks, observe } = parts;
  if (activeLocks.isClosing()) throw new LockServiceClosedError();
  try {
    session.start();
    observe();
    if (wait) await untilConnected(parts);
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Resolves once the session is established.
 *
 * @throws {ZooKeeperUnavailableError} when that takes longer than `connectTimeoutMs`
 * @throws {ZkLockConfigError} when a server grants a session timeout too short
 * @throws {LockServiceClosedError} when closing begins
 */
async function untilConnected(parts: Parts): Promise<void> {
  const { session, activeLocks, connectTimeoutMs } = parts;
  const stop = new AbortController();
  const onStop = (): void => stop.abort();
  const timer = setTimeout(onStop, connectTimeoutMs);
  activeLocks.closing.addEventListener('abort', onStop, { once: true });
  try {
    await session.whenConnected(stop.signal);
  } catch (error) {
    if (activeLocks.isClosing()) throw new LockServiceClosedError();
    if (error instanceof ZkLockConfigError) throw error;
    throw unavailableError(
      session,
      `gave no session within ${connectTimeoutMs} ms`,
      'Check the `servers` option and that a majority of the servers runs. To start without them, set `lazy: true` (in Nest) or call `start({ wait: false })`.',
    );
  } finally {
    clearTimeout(timer);
    activeLocks.closing.removeEventListener('abort', onStop);
  }
}

export async function closeAll(parts: Parts, graceMs: number): Promise<void> {
  const { session, znodes, remover, activeLocks, elections } = parts;
  void elections.end();
  // Holders may finish what they write.
  await activeLocks.close(graceMs);
  znodes.close();
  await withinMs(FAREWELL_MS, remover.whenIdle());
  remover.stop();
  await session.close({ timeoutMs: FAREWELL_MS });
}
