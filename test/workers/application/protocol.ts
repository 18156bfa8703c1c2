import type { BoardOverview } from '../../../libs/nestjs-zk-lock/src/board/board-api.js';

/** What an application found when it looked at everything once. */
export interface Looks {
  readonly overview: BoardOverview;
  /** The codes of the errors of refused looks; `undefined` for an error without a code. */
  readonly refused: Readonly<Record<string, string | undefined>>;
  readonly deadlocks: number;
}

/** What a process has used since the previous request. */
export interface Used {
  /** The CPU time of the longest turn of its event loop. */
  readonly longestTurnMs: number;
  /** The memory after a garbage collection. */
  readonly bytes: number;
}

/** When a lock was held, on the machine's monotonic clock. */
export interface Held {
  readonly from: number;
  readonly to: number;
  readonly waitedMs: number;
}

export interface Commands {
  /** The address of the board. */
  board(): string;
  /** Looks at the root and at these keys in each possible way. */
  look(keys: readonly string[], semaphores: readonly string[]): Looks;
  /** Acquires and releases a lock repeatedly until {@link stop}. */
  work(key: string): void;
  stop(): readonly Held[];
  used(): Used;
}
