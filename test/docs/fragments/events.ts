import type { LockService } from 'nestjs-zk-lock';
import { onLockEvents } from 'nestjs-zk-lock/events';

const stop = onLockEvents({
  waitEnd: ({ key, result, durationMs }) => {
    if (durationMs > 1_000) logger.warn(`${key}: ${result} after ${Math.round(durationMs)} ms`);
  },
  holdEnd: ({ key, lossReason }) => {
    if (lossReason) logger.error(`${key} was lost: ${lossReason}`);
  },
});

declare const logger: { warn(text: string): void; error(text: string): void };

export async function patterned(
  locks: LockService,
  id: string,
  ship: (id: string, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  await locks.withLock(`order:${id}`, { pattern: 'order:{id}' }, (lock) => ship(id, lock.signal));
  stop();
}
