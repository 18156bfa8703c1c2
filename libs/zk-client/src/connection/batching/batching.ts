import { FrameLimits } from './frame-limits.js';

export interface BatchingOptions {
  /**
   * How many writes a server executes per millisecond when each comes by itself. A batch must be
   * larger than the number executed in one round trip. @default 10
   */
  readonly writesPerMs?: number;
}

const WRITES_PER_MS = 10;

/** Not for users. */
export let frameLimitsOf: (batching: Batching) => FrameLimits;

/**
 * Makes connections send requests together. All connections opened with one object share what it
 * has learnt of the servers.
 */
export class Batching {
  readonly writesPerMs: number;
  /** False once a server refused `multiRead` as unknown; it exists since ZooKeeper 3.6. */
  readsTogether = true;
  readonly #frameLimits = new FrameLimits();

  static {
    frameLimitsOf = (batching) => batching.#frameLimits;
  }

  constructor({ writesPerMs = WRITES_PER_MS }: BatchingOptions = {}) {
    this.writesPerMs = writesPerMs;
  }
}
