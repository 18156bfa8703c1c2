import { NoCurrentLockError } from 'zk-locks';
import { internalsOf, type LockService } from '../lock.service.js';
import { SkippedError } from './definition.js';
import type { LockedWork } from './hold-times.js';

/**
 * Once this process has noticed the loss of its connection, lets one further call wait for the keys.
 * The others are skipped: they would run one after the other as soon as ZooKeeper is back.
 *
 * @param take waits for the locks, and runs the work
 * @throws {SkippedError} before it waits
 */
export async function oneInOutage<T>(
  service: LockService,
  keys: readonly string[],
  take: (work: LockedWork<T>) => Promise<T>,
  work: LockedWork<T>,
): Promise<T> {
  // A test's replacement of the service may have only the methods that a call needs.
  const { session } = service as Partial<LockService>;
  const isConnected = !session || session.snapshot.state.name === 'connected';
  if (isConnected || joins(service, keys)) return take(work);
  const { waiting } = internalsOf(service);
  const name = JSON.stringify(keys);
  if (waiting.has(name)) {
    const shown = keys.map((key) => `"${key}"`).join(' and ');
    throw new SkippedError(
      `another call in this process is already waiting for ZooKeeper, to lock ${shown}`,
    );
  }
  waiting.add(name);
  let isWaiting = true;
  const end = (): void => {
    if (isWaiting) waiting.delete(name);
    isWaiting = false;
  };
  try {
    return await take((...held) => {
      end();
      return work(...held);
    });
  } finally {
    end();
  }
}

/** Whether the call is inside a section of these locks, and need not wait. */
function joins(service: LockService, keys: readonly string[]): boolean {
  try {
    for (const key of keys) service.currentLock(key);
    return true;
  } catch (error) {
    if (error instanceof NoCurrentLockError) return false;
    throw error;
  }
}
