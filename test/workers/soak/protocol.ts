import type { SessionState, ZkLockModuleOptions } from 'nestjs-zk-lock';

/** How a task asks for what it wants; each kind is a column of the report. */
export const LOCK_KINDS = [
  'write',
  'read',
  'upgradable',
  'downgrade',
  'several',
  'permits',
  'leader',
] as const;
export type LockKind = (typeof LOCK_KINDS)[number];

/** Whom a grant keeps out: everybody, writers only, or whoever comes when all permits are taken. */
export type Access = 'exclusive' | 'shared' | 'permit';

/** What a worker is started with. */
export interface SoakWorkerOptions {
  /** Stands in its journal, and in the message of every violation. */
  readonly name: string;
  readonly module: ZkLockModuleOptions;
  /** The file to which it appends what happens, one {@link JournalEntry} a line. */
  readonly journal: string;
  /** Port on 127.0.0.1 of the resource that compares fencing tokens. */
  readonly resourcePort: number;
  readonly seed: number;
  /** How many tasks of each kind compete. */
  readonly tasks: Readonly<Partial<Record<LockKind, number>>>;
  /** What they compete for. */
  readonly keys: readonly string[];
  /** What some calls ask for; 0 where none does. */
  readonly marginMs: number;
  /** Below it, holders write by transactions that check their locks; absent where they cannot. */
  readonly guarded?: string | undefined;
}

/** The key of the semaphore, and how many permits it has. */
export const POOL = { key: 'pool', permits: 3 } as const;
/** What is led. */
export const CHAIR = 'chair';

/**
 * What happened in a worker. `at` is in milliseconds of the machine's monotonic clock, which all its
 * processes share. Written before the worker goes on, so that a kill loses nothing.
 */
export type JournalEntry =
  | {
      readonly type: 'asked';
      readonly wait: number;
      readonly key: string;
      readonly kind: LockKind;
      /** When the task meant to give up; absent where it waits for as long as it takes. */
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
      /** Grants of one holding don't exclude each other: the upgrade and the read lock it came from. */
      readonly holding: number;
      /** The wait that it came of; absent where that was for something else besides. */
      readonly wait?: number;
      readonly key: string;
      readonly kind: LockKind;
      readonly access: Access;
      readonly permits?: number;
      /** A bigint in decimal. */
      readonly token?: string;
      /** Whether its place in the queue is where its token says. */
      readonly queued: boolean;
      readonly at: number;
    }
  /** The lock said at `at`, or right after, that it is held. */
  | { readonly type: 'held'; readonly grant: number; readonly at: number }
  | { readonly type: 'told'; readonly grant: number; readonly reason: string; readonly at: number }
  /** The lock said that it is not held any more, and its signal had not aborted. */
  | { readonly type: 'untold'; readonly grant: number; readonly at: number }
  /** `withLock` rejected what was done under a lock that had not been told to be lost. */
  | { readonly type: 'rejected'; readonly grant: number; readonly at: number }
  /** The wall clock was set forward: until it has asked, a lock cannot say that it is held. */
  | { readonly type: 'set-forward'; readonly ms: number; readonly at: number }
  | { readonly type: 'left'; readonly grant: number; readonly at: number }
  /** The resource refused a write; `isHeld` is what the lock said about itself afterwards. */
  | {
      readonly type: 'refused';
      readonly grant: number;
      readonly isHeld: boolean;
      readonly at: number;
    }
  /** The event loop stood still. */
  | { readonly type: 'stalled'; readonly from: number; readonly at: number }
  /** For those who read the journal: how the session fares. */
  | { readonly type: 'session'; readonly state: SessionState; readonly at: number }
  /** A call threw what it never should. */
  | {
      readonly type: 'broke';
      readonly kind: LockKind;
      readonly error: string;
      readonly at: number;
    };

/** What tasks do until the next pause. */
export interface Workload {
  /** Only tasks of these kinds take turns. @default all */
  readonly only?: readonly LockKind[];
  /** What locks are taken on. @default the worker's own `keys` */
  readonly keys?: readonly string[];
  /** Nobody gives up. @default false */
  readonly patient?: boolean;
}

/** A lock that was broken. */
export interface BrokenLock {
  /** A bigint in decimal. */
  readonly token: string;
  /** Whose it was, as it said. */
  readonly replica?: string | undefined;
  /** Whether its node was deleted, since its process did not give it up. */
  readonly isForced: boolean;
}

/** What the worker can be told. */
export interface Commands {
  run(workload: Workload): void;
  /** No new waits, and nobody clings; answered once every task is done with its present one. */
  pause(): Idle;
  /** Who holds something holds on to it for so long, or until `pause`; answered once somebody does. */
  cling(ms: number): void;
  /** Blocks the event loop for so long. */
  stall(ms: number): void;
  /** Sets the wall clock forward by so much. */
  setForward(ms: number): void;
  /** The server that the session is connected to, if it is, as `ip:port`. */
  where(): string | null;
  /** Takes the lock of a key from its holder, or a waiter; null where that has gone meanwhile. */
  breakLock(key: string, whom: 'holder' | 'waiter'): BrokenLock | null;
  /** Closes everything, and leaves it to Node to end the process. */
  close(): Closed;
}

export interface Idle {
  readonly held: number;
  readonly waiting: number;
}

export interface Closed {
  /** What would keep the process alive, as Node names it; standard streams aside. */
  readonly resources: readonly string[];
}

/** A write to the resource, one JSON object a line. */
export interface WriteRequest {
  readonly id: number;
  readonly process: string;
  readonly grant: number;
  readonly key: string;
  readonly token: string;
}

export interface WriteAnswer {
  readonly id: number;
  readonly accepted: boolean;
}
