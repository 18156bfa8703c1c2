import type { SessionState, ZkLockModuleOptions } from 'nestjs-zk-lock';

/** The kinds of calls; each kind is a column of the report. */
export const LOCK_KINDS = [
  'write',
  'read',
  'upgradable',
  'downgrade',
  'several',
  'permits',
  'leader',
  'run',
] as const;
export type LockKind = (typeof LOCK_KINDS)[number];

/** Excludes every other grant; writers only; or grants in excess of the number of permits. */
export type Access = 'exclusive' | 'shared' | 'permit';

/** A run of a job. Times are in milliseconds. */
export interface Run {
  /** The period in which the job runs at most once. */
  readonly everyMs: number;
  /** When it was requested. */
  readonly askedAt: number;
}

/** The options of a worker. */
export interface SoakWorkerOptions {
  /** The worker's name in its journal and in messages about violations. */
  readonly name: string;
  readonly module: ZkLockModuleOptions;
  /** The file of its journal, with one {@link JournalEntry} per line. */
  readonly journal: string;
  readonly seed: number;
  /** The number of tasks of each kind. */
  readonly tasks: Readonly<Partial<Record<LockKind, number>>>;
  /** The keys that the tasks compete for. */
  readonly keys: readonly string[];
  /** The root for guarded writes; absent if the locks do not support transactions. */
  readonly guarded?: string | undefined;
}

/** The semaphore's key and its number of permits. */
export const POOL = { key: 'pool', permits: 3 } as const;
/** The name of the election. */
export const CHAIR = 'chair';

/**
 * An event in a worker. `at` is in milliseconds of the machine's monotonic clock. It is written
 * before the worker continues, so that a killed process loses none.
 */
export type JournalEntry =
  | {
      readonly type: 'asked';
      readonly wait: number;
      readonly key: string;
      readonly kind: LockKind;
      /** The task's timeout; absent if it waits without a limit. */
      readonly patienceMs?: number;
      readonly at: number;
    }
  /** `outcome` is `granted`, `busy` (the call did not wait), or the `code` of the error. */
  | {
      readonly type: 'answered';
      readonly wait: number;
      readonly outcome: string;
      readonly message?: string;
      readonly at: number;
    }
  | {
      readonly type: 'entered';
      readonly grant: number;
      /**
       * Grants of one holding do not exclude each other: the upgrade and the read lock it came
       * from.
       */
      readonly holding: number;
      /** The wait for this grant; absent if that wait had another purpose. */
      readonly wait?: number;
      readonly key: string;
      readonly kind: LockKind;
      readonly access: Access;
      readonly permits?: number;
      /** A decimal bigint. */
      readonly token?: string;
      /** Whether the token reflects its position in the queue. */
      readonly queued: boolean;
      /** How long before the lease deadline the lock counts as lost, in milliseconds. */
      readonly marginMs?: number;
      /** Present for a job that runs at most once in a period. */
      readonly run?: Run;
      readonly at: number;
    }
  /** The lock claimed to be held at `at` or right after it. */
  | { readonly type: 'held'; readonly grant: number; readonly at: number }
  | { readonly type: 'told'; readonly grant: number; readonly reason: string; readonly at: number }
  /** An operator has asked for the lock. */
  | { readonly type: 'asked-back'; readonly grant: number; readonly at: number }
  /** The lock claimed not to be held although its signal had not aborted. */
  | { readonly type: 'untold'; readonly grant: number; readonly at: number }
  /** `withLock` rejected work under a lock whose signal had not aborted. */
  | { readonly type: 'rejected'; readonly grant: number; readonly at: number }
  /** After this change of the wall clock, a lock asks the server whether it is held. */
  | { readonly type: 'set-forward'; readonly ms: number; readonly at: number }
  | { readonly type: 'left'; readonly grant: number; readonly at: number }
  /** The resource refused a write; `isHeld` is the state that the lock reported afterwards. */
  | {
      readonly type: 'refused';
      readonly grant: number;
      readonly isHeld: boolean;
      readonly at: number;
    }
  /** The event loop was stalled. */
  | { readonly type: 'stalled'; readonly from: number; readonly at: number }
  /** The state of the session, for people who read the journal. */
  | { readonly type: 'session'; readonly state: SessionState; readonly at: number }
  /** A call threw an unexpected error. */
  | {
      readonly type: 'broke';
      /** The kind of the task. */
      readonly kind: string;
      readonly error: string;
      readonly at: number;
    };

/** The worker's commands. */
export interface Commands {
  /** Lets all tasks take turns until the next pause. */
  run(): void;
  /** Starts no new waits, and ends {@link cling}. Answered once every task has ended its turn. */
  pause(): Idle;
  /** Makes holders keep their locks for this long, or until `pause`. Waits for a holder. */
  cling(ms: number): void;
  /** The server that the session is connected to, as `ip:port`. */
  where(): string | null;
  /** Closes everything, so that the process can exit by itself. */
  close(): Closed;
}

export interface Idle {
  readonly held: number;
  readonly waiting: number;
}

export interface Closed {
  /** The handles that would keep the process alive, by Node's names, without standard streams. */
  readonly resources: readonly string[];
}
