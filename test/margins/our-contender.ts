import { LockWorker } from '../support/lock-worker.js';
import { onOneClock, type StartContender } from './contender.js';
import { machineTime } from '../workers/soak/journal.js';

/** Machines that run hundreds of freezes may be slow to start a process, which is not measured. */
const PATIENCE_MS = 120_000;

/** Told by the `abort` event of the lock's signal. */
export const startOurs: StartContender = async (session) => {
  const worker = await LockWorker.start(
    { ...session, root: '/margins/ours', connectTimeoutMs: PATIENCE_MS },
    PATIENCE_MS,
  );
  return {
    acquire: async (key) => {
      const askedAt = machineTime();
      const { lock, at } = await worker.acquire(key, 'write', PATIENCE_MS);
      return {
        grantedAt: onOneClock(askedAt, at),
        notice: async () => {
          const { at: lostAt } = await worker.loss(lock, PATIENCE_MS);
          return { toldAt: lostAt, lostAt };
        },
        release: () => worker.release(lock),
      };
    },
    stop: () => worker.end(),
  };
};
