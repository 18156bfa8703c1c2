import { randomUUID } from 'node:crypto';
import type { Locks, LocksOptions } from 'zk-locks';
import { ageText } from 'zk-locks/inspect';
import { type Finding, note, ok, problem } from './finding.js';

/** The lock that is taken: one of its own, so that it is free. ZooKeeper removes its empty directory. */
const KEY_PREFIX = 'zk-lock-doctor:';

const DEFAULT_ROOT = '/locks';

const WRITES = 3;

/** Every lock waits for a write. If writes are slower than this, sessions will be lost next. */
const SLOW_MS = 100;
const TOO_SLOW_MS = 1_000;

const WRONG_CLOCK_MS = 2_000;

/** What the writes have shown. */
export interface Measured {
  /** How long one write took, until a quorum had logged it. */
  readonly ms: number;
  /** How far this machine's clock is ahead of ZooKeeper's. */
  readonly aheadMs: number;
}

/**
 * Acquires and releases a lock, as every holder does, but only below a root that exists. Otherwise, the
 * new root would belong to the user of these settings, whose password may be wrong, and lock others out.
 *
 * @throws {LockAccessError} if the user of these settings has no access
 */
export async function checkWrites(
  locks: Locks,
  { root = DEFAULT_ROOT }: LocksOptions,
): Promise<Finding[]> {
  if (!(await locks.client.exists(root))) {
    const remedy =
      'The first lock creates it. If there should be locks, correct --root (ZK_LOCK_ROOT), or the path after the servers in --connect (ZK_CONNECT).';
    return [note('write', `the root ${root} does not exist, so no write was tried`, remedy)];
  }
  const key = `${KEY_PREFIX}${randomUUID()}`;
  const measured: Measured[] = [];
  for (let count = 0; count < WRITES; count++) measured.push(await writeOnce(locks, key));
  const fastest = measured.reduce((best, each) => (each.ms < best.ms ? each : best));
  return [describeLatency(fastest.ms), describeClock(fastest)];
}

async function writeOnce(locks: Locks, key: string): Promise<Measured> {
  const sentAt = Date.now();
  const startedAt = performance.now();
  await using _ = await locks.acquire(key, { label: 'zk-lock doctor' });
  const ms = performance.now() - startedAt;
  const { holders } = await locks.inspect(key);
  const createdAt = holders[0]?.queuedAt.getTime() ?? sentAt;
  return { ms, aheadMs: sentAt + ms / 2 - createdAt };
}

export function describeLatency(ms: number): Finding {
  const shown = ms < 10 ? ms.toFixed(1) : String(Math.round(ms));
  const message = `a write took ${shown} ms (created and deleted the node of a lock, ${WRITES} times)`;
  const remedy =
    "Check the servers' disks (fsync), their garbage collection, and the network between them.";
  if (ms > TOO_SLOW_MS) return problem('write', message, remedy);
  return ms > SLOW_MS ? note('write', message, remedy) : ok('write', message);
}

export function describeClock({ ms, aheadMs }: Measured): Finding {
  const off = Math.max(0, Math.abs(aheadMs) - ms / 2);
  if (off < WRONG_CLOCK_MS) return ok('clock', "agrees with ZooKeeper's");
  const message = `is ${ageText(off)} ${aheadMs > 0 ? 'ahead of' : 'behind'} ZooKeeper's`;
  const remedy =
    'Locks do not depend on the time of day, but ages and logs do. Synchronize this machine and the servers with NTP.';
  return problem('clock', message, remedy);
}

/** The finding about the session timeout that the servers have granted. */
export function checkSession(locks: Locks, { sessionTimeoutMs: asked = 0 }: LocksOptions): Finding {
  const { state, connectedTo = '' } = locks.session.snapshot;
  const granted = state.name === 'connected' ? state.timeoutMs : asked;
  const message = `timeout ${ageText(granted)}, connected to ${connectedTo}`;
  if (granted === asked) return ok('session', message);
  const remedy = `Set ZK_LOCK_SESSION_TIMEOUT=${granted}ms, or maxSessionTimeout and minSessionTimeout on the servers.`;
  return note('session', `${message}; ${ageText(asked)} was requested`, remedy);
}
