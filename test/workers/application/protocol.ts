import type { BoardOverview } from '../../../libs/nestjs-zk-lock/src/board/board-api.js';

/** What an application has come to that looked at everything once. */
export interface Looks {
  readonly overview: BoardOverview;
  /** The errors of those looks that were refused, by their codes; `undefined` for any other error. */
  readonly refused: Readonly<Record<string, string | undefined>>;
  readonly deadlocks: number;
}

/** What a process has used since it was asked last. */
export interface Used {
  /** CPU time of the longest turn of its event loop. */
  readonly longestTurnMs: number;
  /** After a collection of garbage. */
  readonly bytes: number;
}

/** When a lock was held, by the clock that all processes of this computer have. */
export interface Held {
  readonly from: number;
  readonly to: number;
  readonly waitedMs: number;
}

export interface Commands {
  /** The address of the board. */
  board(): string;
  /** Looks at the root and at these keys in each way that there is. */
  look(keys: readonly string[], semaphores: readonly string[]): Looks;
  /** Takes a lock again and again until {@link stop}. */
  work(key: string): void;
  stop(): readonly Held[];
  used(): Used;
}
