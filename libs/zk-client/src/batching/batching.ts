import { FrameLimits } from './frame-limits.js';

export interface BatchingOptions {
  /**
   * How many writes a server executes in a millisecond when each comes by itself. As many as it does
   * in one round trip are not worth a batch. @default 10
   */
  readonly writesPerMs?: number;
}

const WRITES_PER_MS = 10;

/** Not for users. */
export let frameLimitsOf: (batching: Batching) => FrameLimits;

/**
 * Makes connections send requests together. What is learnt of the servers is shared by all
 * connections that are opened with it.
 */
export class Batching {
  readonly writesPerMs: number;
  /** False once a server did not know `multiRead`, which came with ZooKeeper 3.6. */
  readsTogether = true;
  readonly #frameLimits = new FrameLimits();

  static {
    frameLimitsOf = (batching) => batching.#frameLimits;
  }

  constructor({ writesPerMs = WRITES_PER_MS }: BatchingOptions = {}) {
    this.writesPerMs = writesPerMs;
  }
}
