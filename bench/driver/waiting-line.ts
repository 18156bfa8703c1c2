import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Locksmith, Release } from './locksmith.js';

const AT_ONCE = 100;

/** How often the event loop's delay is sampled. */
const RESOLUTION_MS = 5;

/** Many waiters for one key. The lock is handed from one to the next on command. */
export class WaitingLine {
  readonly #delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #grants = 0;
  /** The number of the grant whose holder keeps the lock. */
  #last = 1;
  #held: Release | undefined;
  #grantedAt: number[] = [];
  #arrived: (() => void) | undefined;
  #failed: ((error: unknown) => void) | undefined;

  constructor(private readonly locksmith: Locksmith) {}

  /** Resolves when one waiter has the lock and the others have requested it. */
  async fill(waiters: number, key: string): Promise<void> {
    this.#delay.enable();
    const arrived = this.#arrival();
    this.#ask(key);
    await arrived;
    for (let asked = 0; asked < waiters; asked++) {
      // Yields regularly, as a service that sends thousands of requests does.
      if (asked % AT_ONCE === 0) await nextTurn();
      this.#ask(key);
    }
  }

  /** @returns the longest stall of the event loop since `fill`, in milliseconds */
  stall(): number {
    this.#delay.disable();
    return Math.max(0, this.#delay.max / 1e6 - RESOLUTION_MS);
  }

  /** @returns the milliseconds of each handover */
  async hand(handOvers: number): Promise<number[]> {
    this.#last = this.#grants + handOvers;
    const arrived = this.#arrival();
    this.#grantedAt = [performance.now()];
    void this.#held?.();
    await arrived;
    const [startedAt = 0, ...grants] = this.#grantedAt;
    return grants.map((at, index) => at - (grants[index - 1] ?? startedAt));
  }

  async letGo(): Promise<void> {
    await this.#held?.();
  }

  #arrival(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#arrived = resolve;
      this.#failed = reject;
    });
  }

  #ask(key: string): void {
    this.locksmith.take(key, 'write').then(
      (release) => this.#onGrant(release),
      (error: unknown) => this.#failed?.(error),
    );
  }

  #onGrant(release: Release): void {
    this.#grants++;
    this.#grantedAt.push(performance.now());
    if (this.#grants < this.#last) {
      void release();
      return;
    }
    this.#held = release;
    this.#arrived?.();
  }
}
