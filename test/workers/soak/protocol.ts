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

/**
 * What a grant excludes: every other grant, writers only, or grants beyond the number of permits.
 */
export type Access = 'exclusive' | 'shared' | 'permit';

/** A run of a job, in milliseconds. */
export interface Run {
  /** The time in which the job runs at most once. */
  readonly everyMs: number;
  /** When it was asked for. */
  readonly askedAt: number;
}

/** The options of a worker. */
export interface SoakWorkerOptions {
  /** Its name in its journal, and in the message of every violation. */
  readonly name: string;
  readonly module: ZkLockModuleOptions;
  /** The file for its journal, one {@link JournalEntry} a line. */
  readonly journal: string;
  readonly seed: number;
  /** How many tasks of each kind compete. */
  readonly tasks: Readonly<Partial<Record<LockKind, number>>>;
  /** What they compete for. */
  readonly keys: readonly string[];
  /** The root for writes by transactions that check their locks; absent if the locks have none. */
  readonly guarded?: string | undefined;
}

/** The key of the semaphore, and how many permits it has. */
export const POOL = { key: 'pool', permits: 3 } as const;
/** The name of the election. */
export const CHAIR = 'chair';

/**
 * An event in a worker. `at` is in milliseconds of the machine's monotonic clock, which all its
 * processes share. It is written before the worker goes on, so that a kill loses nothing.
 */
export type JournalEntry =
  | {
      readonly type: 'asked';
      readonly wait: number;
      readonly key: string;
      readonly kind: LockKind;
      /** When the task meant to give up; absent if its patience is unlimited. */
      readonly patienceMs?: number;
      readonly at: number;
    }
  /** `outcome` is `granted`, `busy` (a single try), or the `code` of the error. */
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
      /** The wait that led to it; absent for a wait with another purpose. */
      readonly wait?: number;
      readonly key: string;
      readonly kind: LockKind;
      readonly access: Access;
      readonly permits?: number;
      /** A bigint in decimal. */
      readonly token?: string;
      /** Whether its place in the queue is where its token says. */
      readonly queued: boolean;
      /** How long before the deadline of its lease it counts as lost, in milliseconds. */
      readonly marginMs?: number;
      /** Of a job that runs at most once in a time. */
      readonly run?: Run;
      readonly at: number;
    }
  /** The lock said at `at`, or right after, that it is held. */
  | { readonly type: 'held'; readonly grant: number; readonly at: number }
  | { readonly type: 'told'; readonly grant: number; readonly reason: string; readonly at: number }
  /** An operator has asked for it. */
  | { readonly type: 'asked-back'; readonly grant: number; readonly at: number }
  /** The lock said that it is not held, although its signal had not aborted. */
  | { readonly type: 'untold'; readonly grant: number; readonly at: number }
  /** `withLock` rejected work under a lock whose signal had not aborted. */
  | { readonly type: 'rejected'; readonly grant: number; readonly at: number }
  /** The wall clock was set forward: until it has asked, a lock cannot say that it is held. */
  | { readonly type: 'set-forward'; readonly ms: number; readonly at: number }
  | { readonly type: 'left'; readonly grant: number; readonly at: number }
  /** The resource refused a write; `isHeld` is the state of the lock afterwards, as it said. */
  | {
      readonly type: 'refused';
      readonly grant: number;
      readonly isHeld: boolean;
      readonly at: number;
    }
  /** The event loop stood still. */
  | { readonly type: 'stalled'; readonly from: number; readonly at: number }
  /** The state of the session, for readers of the journal. */
  | { readonly type: 'session'; readonly state: SessionState; readonly at: number }
  /** A call threw an error that it never should. */
  | {
      readonly type: 'broke';
      /** Of the task. */
      readonly kind: string;
      readonly error: string;
      readonly at: number;
    };

/** The worker's commands. */
export interface Commands {
  /** Lets all tasks take turns until the next pause. */
  run(): void;
  /** No new waits, and no holder clings; answered once every task has ended its turn. */
  pause(): Idle;
  /**
   * Every holder keeps its lock for this long, or until `pause`; answered once there is a holder.
   */
  cling(ms: number): void;
  /** The server that the session is connected to, if it is, as `ip:port`. */
  where(): string | null;
  /** Closes everything, so that Node can end the process by itself. */
  close(): Closed;
}

export interface Idle {
  readonly held: number;
  readonly waiting: number;
}

export interface Closed {
  /**
   * The handles that would keep the process alive, as Node names them; without standard streams.
   */
  readonly resources: readonly string[];
}
