import type { Lock } from 'zk-locks';
import { LockView } from 'zk-locks/internal';

/** A lock as work sees it that has only so much time: its signal aborts when that is over, too. */
export class TimedLock extends LockView {
  constructor(
    lock: Lock,
    private readonly untilTimeIsUp: AbortSignal,
  ) {
    super(lock);
  }

  override get signal(): AbortSignal {
    return this.untilTimeIsUp;
  }
}
