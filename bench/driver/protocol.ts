/**
 * What the harness and a driver say to each other. A driver is a process that does the same work by
 * one library's locks; a `CommandProcess` tells it what. Those in other languages are in
 * `bench/peers`.
 */

/** What a task does in each cycle: take and give back, for writing, for reading 19 times in 20, or try in vain. */
export type Work = 'write' | 'mixed' | 'try';

/** Whether each task has a key of its own, or all have the same one. */
export type Keys = 'own' | 'one';

/** How many values of each bucket (`buckets.ts`) were measured. */
export type Counts = Record<string, number>;

/** What tasks came to, each of which begins its next cycle after a pause until the time is over. */
export interface Outcome {
  /** Cycles that ended in time, by task. */
  readonly cycles: readonly number[];
  /** From asking to having, of each cycle that began in time. */
  readonly acquire: Counts;
  /** From asking to having given back. */
  readonly cycle: Counts;
  /** From one grant to the next: empty unless all tasks write under one key. */
  readonly handOver: Counts;
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
  ): Outcome;
  /** Takes a lock, and asks for it so many times more; answers when it has it. */
  fill(waiters: number, name: string): void;
  /** Lets the lock go through so many hands; the milliseconds of each hand-over. */
  hand(handOvers: number): number[];
  /** The longest stall of the event loop since `fill`, in milliseconds; null where there is no loop. */
  stall(): number | null;
  /** Bytes on the heap, after a collection; null where the language cannot tell. */
  memory(): number | null;
  /** What decorators cost, in nanoseconds per call ({@link Overhead}). */
  overhead(seconds: number): Overhead;
}

/** Nanoseconds per call, with a lock service that does nothing. */
export interface Overhead {
  /** `await service.method(1)`, an async method without a decorator. */
  readonly bare: number;
  /** The same method called by hand inside of `withLock`. */
  readonly withLock: number;
  /** The same method under `@Locked('order:{0}')`. */
  readonly locked: number;
  /** A handler's Observable, without a decorator. */
  readonly handler: number;
  /** The same through `LockedInterceptor`, around a method under `@Locked`. */
  readonly lockedHandler: number;
}
