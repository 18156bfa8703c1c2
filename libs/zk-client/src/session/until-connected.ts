import { ZkLockConfigError } from '../zk-lock-error.js';
import type { Session } from './session.js';
import { unavailableError } from './wait.js';

/**
 * Resolves once the session is established.
 *
 * @param remedy what else to do than to look after the servers, as the end of the error's last sentence
 * @throws {ZooKeeperUnavailableError} when that takes longer than `timeoutMs`, or `stop` aborts
 * @throws {ZkLockConfigError} when a server grants a session timeout too short
 */
export async function untilConnected(
  session: Session,
  timeoutMs: number,
  remedy: string,
  stop?: AbortSignal,
): Promise<void> {
  const end = new AbortController();
  const onStop = (): void => end.abort();
  const timer = setTimeout(onStop, timeoutMs);
  stop?.addEventListener('abort', onStop, { once: true });
  try {
    await session.whenConnected(end.signal);
  } catch (error) {
    if (error instanceof ZkLockConfigError) throw error;
    throw unavailableError(
      session,
      `gave no session within ${timeoutMs} ms`,
      `Check the \`servers\` option and that a majority of the servers runs.${remedy}`,
    );
  } finally {
    clearTimeout(timer);
    stop?.removeEventListener('abort', onStop);
  }
}
