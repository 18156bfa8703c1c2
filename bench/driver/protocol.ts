/**
 * The commands between the harness and a driver. A driver is a process that does the work with one
 * library's locks; a `CommandProcess` gives it commands. Drivers in other languages are in
 * `bench/peers`.
 */

/**
 * The work of a task in each cycle: `write` takes and releases for writing, `mixed` reads 19 times
 * in 20, `try` tries a busy key.
 */
export type Work = 'write' | 'mixed' | 'try';

/** Whether each task has a key of its own, or all have the same one. */
export type Keys = 'own' | 'one';

/** The number of measured values in each bucket (`buckets.ts`). */
export type Counts = Record<string, number>;

/** The result of tasks that each begin a new cycle, after a pause, until the time is over. */
export interface Outcome {
  /** The number of cycles that ended in time, by task. */
  readonly cycles: readonly number[];
  /** From the request to the grant, of each cycle that began in time. */
  readonly acquire: Counts;
  /** From the request to the end of the release. */
  readonly cycle: Counts;
  /** From one grant to the next: empty unless all tasks write under one key. */
  readonly handOver: Counts;
  /**
   * When the tasks of one key were granted it, in milliseconds of the system's monotonic clock,
   * which is comparable between processes. Absent for other work.
   */
  readonly grants?: readonly number[];
}

/** The grants of waiters that are each served once. */
export interface Served {
  /** The times of the grants, as in {@link Outcome.grants}. */
  readonly grants: readonly number[];
}

/** Bytes on the heap for each key, after a collection. */
export interface KeyMemory {
  readonly held: number;
  /** What remains after the release. */
  readonly released: number;
}

/** The cost of taking all permits at once and then returning them. */
export interface PermitCost {
  readonly cpuMs: number;
  readonly ms: number;
}

/** The commands of a driver. */
export interface DriverCommands {
  run(
    work: Work,
    keys: Keys,
    tasks: number,
    seconds: number,
    name: string,
    pauseMs: number,
    holdMs?: number,
  ): Outcome;
  /** Takes a lock and requests it this many more times. Answers when the lock is held. */
  fill(waiters: number, name: string): void;
  /** Hands over the lock this many times. Returns the milliseconds of each handover. */
  hand(handOvers: number): number[];
  /** Releases the lock that `fill` has taken. */
  letGo(): void;
  /**
   * Requests a lock this many times at once, and releases it as soon as it is granted. Ends after
   * `seconds` at the latest.
   */
  serve(waiters: number, name: string, seconds: number): Served;
  /** The memory that a held key uses, and what remains of it after the release. */
  keyMemory(keys: number, name: string): KeyMemory;
  permits(permits: number, name: string): PermitCost;
  /**
   * The longest stall of the event loop since `fill`, in milliseconds; null without an event loop.
   */
  stall(): number | null;
  /** Bytes on the heap, after a collection; null if the language cannot tell. */
  memory(): number | null;
  /** The cost of decorators, in nanoseconds per call ({@link Overhead}). */
  overhead(seconds: number): Overhead;
}

/** Nanoseconds per call, with a lock service that does nothing. */
export interface Overhead {
  /** `await service.method(1)`, an async method without a decorator. */
  readonly bare: number;
  /** The same method called inside `withLock`. */
  readonly withLock: number;
  /** The same method under `@Locked('order:{0}')`. */
  readonly locked: number;
  /** A handler's Observable, without a decorator. */
  readonly handler: number;
  /** The same through `LockedInterceptor`, around a method under `@Locked`. */
  readonly lockedHandler: number;
}
