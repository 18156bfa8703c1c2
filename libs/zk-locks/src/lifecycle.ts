import type { Parts } from './compose.js';
import { withinMs } from './grant/active-locks.js';
import { untilConnected, ZkClosedError } from 'zk-client/recipes';

/** How long closing waits for the last deletions and for the session's end, in ms. */
const FAREWELL_MS = 1_000;

/** Begins to connect; closes everything where that fails. */
export async function startAll(
  parts: Parts,
  wait: boolean,
  close: () => Promise<void>,
): Promise<void> {
  const { session, activeLocks, observe } = parts;
  if (activeLocks.isClosing()) throw new ZkClosedError();
  try {
    session.start();
    observe();
    if (wait) await untilServing(parts);
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * @throws as {@link untilConnected}
 * @throws {ZkClosedError} when closing begins
 */
async function untilServing({ session, activeLocks, connectTimeoutMs }: Parts): Promise<void> {
  const remedy =
    ' To start without them, set `lazy: true` (in Nest) or call `start({ wait: false })`.';
  try {
    await untilConnected(session, connectTimeoutMs, remedy, activeLocks.closing);
  } catch (error) {
    throw activeLocks.isClosing() ? new ZkClosedError() : error;
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
