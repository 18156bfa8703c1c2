/** What the worker is started with. */
export interface WorkerSettings {
  readonly servers: string;
  readonly sessionTimeoutMs: number;
  readonly tickTimeMs: number;
  /** How many tasks take locks at the same time. */
  readonly tasks: number;
  readonly seed: number;
}

/** What one worker can be told to do. */
export interface Commands {
  /** Takes and gives back so many locks. */
  cycle(count: number): void;
  /** Counts what is alive after garbage collection. */
  measure(): Gauge;
  /** Holds locks and waits for locks, until {@link vacate}; says how many nodes the session has then. */
  occupy(): number;
  /** The credentials of its session, so that another process can end it. */
  credentials(): { id: string; password: string };
  /** Waits until all that was held is told lost, and all that waited holds; then waits for more. */
  succeed(): void;
  vacate(): void;
}

/** What is alive in the process, after garbage collection. */
export interface Gauge {
  /** `heapUsed` and `external` of `process.memoryUsage()`, in bytes. */
  readonly heap: number;
  readonly rss: number;
  /** JavaScript objects, closures among them. */
  readonly objects: number;
  /** Timers, sockets and the like that keep the process alive. */
  readonly resources: number;
  /** Open files and sockets, but for `/dev/null`: the library parks those on numbers of lost connections. */
  readonly descriptors: number;
  /** On the signals that live as long as the run. */
  readonly listeners: number;
  readonly held: number;
  readonly waiting: number;
}
