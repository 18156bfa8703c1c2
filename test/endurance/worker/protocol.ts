/** Which locks a run takes and gives back. */
export const cycleKinds = ['write', 'read', 'semaphore', 'upgradable'] as const;
export type CycleKind = (typeof cycleKinds)[number];

/** What the worker is started with. */
export interface WorkerSettings {
  readonly servers: string;
  readonly sessionTimeoutMs: number;
  readonly tickTimeMs: number;
  readonly kinds: readonly CycleKind[];
  /** How many tasks take locks at the same time. */
  readonly tasks: number;
  readonly seed: number;
}

/** What one worker can be told to do. */
export interface Commands {
  /** Takes and gives back so many locks; answers once all is quiet again. */
  cycle(count: number): void;
  /** Counts what is alive after garbage collection. */
  measure(): Gauge;
  /** Holds locks and waits for locks, until {@link vacate}. */
  occupy(): Footprint;
  /** The credentials of its session, so that another process can end it. */
  credentials(): { id: string; password: string };
  /** Waits until all that was held is told lost, and all that waited holds; then waits for more. */
  succeed(): void;
  vacate(): void;
}

/** What it has at the server while it holds and waits. */
export interface Footprint {
  readonly ephemerals: number;
  readonly watches: number;
}

/** What is alive in the process, after garbage collection. */
export interface Gauge {
  /** `heapUsed` and `external` of `process.memoryUsage()`, in bytes. */
  readonly heap: number;
  readonly heapUsed: number;
  /** With `arrayBuffers`. */
  readonly external: number;
  readonly arrayBuffers: number;
  readonly rss: number;
  /** JavaScript objects, closures among them. */
  readonly objects: number;
  /** Timers, sockets and the like that keep the process alive. */
  readonly resources: number;
  /** Open files and sockets, but for `/dev/null`. */
  readonly descriptors: number;
  /** Open `/dev/null`s: the library parks up to 128 of them on numbers of lost connections. */
  readonly parked: number;
  /** On the signals that live as long as the run. */
  readonly listeners: number;
  readonly held: number;
  readonly waiting: number;
}
