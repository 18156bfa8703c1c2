import type { Lock, LockMode, Locks, Permit } from 'zk-locks';

/** What to take: the lock of a key, or a permit of its semaphore. */
export interface Wanted {
  readonly key: string;
  readonly mode: LockMode | 'permit';
  /** The number of permits of the semaphore. */
  readonly permits: number | undefined;
  /** The longest wait in ms; 0 tries once. */
  readonly timeoutMs: number;
  readonly label: string | undefined;
}

/** A lock or a permit that is held. */
export interface Held {
  readonly key: string;
  readonly mode: LockMode | 'permit';
  /** Undefined for a permit, which several holders can have at the same time. */
  readonly token: bigint | undefined;
  /** Aborts with a `LockLostError`. */
  readonly signal: AbortSignal;
  /** Aborts when another process asks for the lock. Permits cannot be revoked. */
  readonly revoked: AbortSignal | undefined;
  release(): Promise<void>;
}

/**
 * Waits for the lock or permit.
 *
 * @throws {LockTimeoutError} when it was busy
 * @throws {LockAbortedError} when `signal` aborted first
 */
export async function take(locks: Locks, wanted: Wanted, signal: AbortSignal): Promise<Held> {
  const { key, mode, permits, timeoutMs, label } = wanted;
  // With a pattern, a key from the shell may have braces, which are not placeholders.
  const pattern = 'zk-lock';
  const options = { timeoutMs, pattern, signal, ...(label !== undefined && { label }) };
  if (mode === 'permit') {
    const semaphore = locks.semaphore(key, { permits: permits ?? 1, pattern });
    return heldPermit(await semaphore.acquire(options));
  }
  return heldLock(await locks.acquire(key, { ...options, mode }));
}

export function heldLock(lock: Lock): Held {
  const { key, mode, fencingToken: token, signal, revoked } = lock;
  return { key, mode, token, signal, revoked, release: () => lock.release() };
}

function heldPermit(permit: Permit): Held {
  const { key, signal } = permit;
  const release = (): Promise<void> => permit.release();
  return { key, mode: 'permit', token: undefined, signal, revoked: undefined, release };
}
