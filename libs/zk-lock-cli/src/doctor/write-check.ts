import type { Locks, LocksOptions } from 'zk-locks';
import { ageText } from 'zk-locks/inspect';
import { type Finding, note, ok, problem } from './finding.js';

/** What the writes are made to. The empty directory is removed by ZooKeeper. */
const KEY = 'zk-lock-doctor';

const DEFAULT_ROOT = '/locks';

const WRITES = 3;

/** Locks wait for each write: slower, and sessions are lost next. */
const SLOW_MS = 100;
const TOO_SLOW_MS = 1_000;

const WRONG_CLOCK_MS = 2_000;

/** What a write showed. */
export interface Measured {
  /** Of one write, answered by a quorum. */
  readonly ms: number;
  /** By how much the clock of this machine is ahead of ZooKeeper's. */
  readonly aheadMs: number;
}

/**
 * Takes and gives back a lock, as every holder does. Below a root that exists only: a root that it made
 * would belong to the user of these settings, who may have a wrong password, and shut others out.
 *
 * @throws {LockAccessError} where the user of these settings may not
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
  const measured: Measured[] = [];
  for (let count = 0; count < WRITES; count++) measured.push(await writeOnce(locks));
  const fastest = measured.reduce((best, each) => (each.ms < best.ms ? each : best));
  return [describeLatency(fastest.ms), describeClock(fastest)];
}

async function writeOnce(locks: Locks): Promise<Measured> {
  const sentAt = Date.now();
  const startedAt = performance.now();
  await using _ = await locks.acquire(KEY, { label: 'zk-lock doctor' });
  const ms = performance.now() - startedAt;
  const { holders } = await locks.inspect(KEY);
  const createdAt = holders[0]?.queuedAt.getTime() ?? sentAt;
  return { ms, aheadMs: sentAt + ms / 2 - createdAt };
}

export function describeLatency(ms: number): Finding {
  const shown = ms < 10 ? ms.toFixed(1) : String(Math.round(ms));
  const message = `a write took ${shown} ms (created and deleted a node of the key "${KEY}", ${WRITES} times)`;
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

/** What the servers have made of the session timeout. */
export function checkSession(locks: Locks, { sessionTimeoutMs: asked = 0 }: LocksOptions): Finding {
  const { state, connectedTo = '' } = locks.session.snapshot;
  const granted = state.name === 'connected' ? state.timeoutMs : asked;
  const message = `timeout ${ageText(granted)}, connected to ${connectedTo}`;
  if (granted === asked) return ok('session', message);
  const remedy = `Set ZK_LOCK_SESSION_TIMEOUT=${granted}ms, or maxSessionTimeout and minSessionTimeout on the servers.`;
  return note('session', `${message}; ${ageText(asked)} was requested`, remedy);
}
