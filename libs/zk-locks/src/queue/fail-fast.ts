import {
  clearTimeout,
  type Session,
  type SessionState,
  setTimeout,
  unavailableError,
  type Wait,
  type ZooKeeperUnavailableError,
} from 'zk-client/recipes';

/**
 * Ends the waiting calls, and refuses new ones, once there has been no connection for a given time.
 */
export class FailFast {
  readonly #waits = new Set<Wait>();
  #timer: NodeJS.Timeout | undefined;
  #isFailing = false;

  constructor(
    private readonly session: Session,
    private readonly afterMs: number,
  ) {}

  /** Starts to measure the time. */
  start(): void {
    this.session.onState((state) => this.#onState(state));
  }

  /** @throws {ZooKeeperUnavailableError} if there has been no connection for that long */
  check(): void {
    if (this.#isFailing) throw this.#newError();
  }

  /** Ends `wait` when that time is over. */
  join(wait: Wait): void {
    this.#waits.add(wait);
  }

  leave(wait: Wait): void {
    this.#waits.delete(wait);
  }

  #onState({ name }: SessionState): void {
    if (name === 'connected' || name === 'closed') {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#isFailing = false;
    } else {
      this.#timer ??= setTimeout(() => this.#fail(), this.afterMs).unref();
    }
  }

  #fail(): void {
    this.#isFailing = true;
    for (const wait of [...this.#waits]) wait.stop(this.#newError());
  }

  #newError(): ZooKeeperUnavailableError {
    return unavailableError(
      this.session,
      `has been disconnected for ${this.afterMs} ms or more`,
      'Check that the servers are running and can be reached, or raise `failFastAfterMs`.',
    );
  }
}
