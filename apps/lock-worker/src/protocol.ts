import type { LockMode, SemaphoreOptions } from 'nestjs-zk-lock';

/** What the worker can be told, one JSON object a line on its standard input. */
export type Command =
  | {
      readonly do: 'acquire';
      readonly key: string;
      readonly mode: LockMode;
      readonly timeoutMs?: number;
    }
  | { readonly do: 'release'; readonly lock: number }
  | { readonly do: 'assertHeld'; readonly lock: number }
  | { readonly do: 'inspect'; readonly lock: number }
  /** `tasks` at once; each reads the number in `file`, waits, and writes it back plus one. */
  | { readonly do: 'count'; readonly key: string; readonly file: string; readonly tasks: number }
  /** Takes part from now on, and says whenever it is elected or its term is over. */
  | { readonly do: 'stand'; readonly key: string }
  | { readonly do: 'resign'; readonly key: string }
  | { readonly do: 'leave'; readonly key: string }
  | { readonly do: 'isLeader'; readonly key: string }
  | {
      readonly do: 'acquirePermits';
      readonly key: string;
      /** How many there are. */
      readonly of: SemaphoreOptions['permits'];
      readonly permits: number;
    }
  /** One task for each number of permits, all at once; each notes in `file` when it has them, and when no more. */
  | {
      readonly do: 'occupy';
      readonly key: string;
      readonly of: SemaphoreOptions['permits'];
      readonly file: string;
      readonly tasks: readonly number[];
    }
  | { readonly do: 'session' };

export interface Request {
  readonly id: number;
  readonly command: Command;
}

/** What the worker says, one JSON object a line on its standard output. */
export type Message =
  | { readonly type: 'ready' }
  | { readonly type: 'answer'; readonly id: number; readonly value: unknown }
  | {
      readonly type: 'failure';
      readonly id: number;
      readonly error: { readonly name: string; readonly code: string; readonly message: string };
    }
  | { readonly type: 'lost'; readonly lock: number; readonly reason: string; readonly at: number }
  | {
      readonly type: 'elected' | 'deposed';
      readonly key: string;
      /** Of the term that begins or is over; a bigint in decimal. */
      readonly fencingToken: string;
      readonly at: number;
    };

export interface Granted {
  readonly lock: number;
  /** A bigint in decimal. */
  readonly fencingToken: string;
  /** Milliseconds of the machine's monotonic clock, which all its processes share. */
  readonly at: number;
}

export type PermitsGranted = Omit<Granted, 'fencingToken'>;

export interface LockReport {
  readonly isHeld: boolean;
  readonly aborted: boolean;
}
