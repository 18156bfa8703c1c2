interface Running {
  users: number;
  readonly stop: () => void;
}

/**
 * Lets several users share something that must run only once for a target. For example, if two
 * applications of one process reported to one registry separately, every event would be counted
 * twice.
 */
export class StartOnce<Target extends object> {
  readonly #running = new WeakMap<Target, Running>();

  /** Returns a function that stops it when the last user has stopped. */
  start(target: Target, start: () => () => void): () => void {
    const running = this.#running.get(target) ?? { users: 0, stop: start() };
    this.#running.set(target, running);
    running.users++;
    let isStopped = false;
    return () => {
      if (isStopped) return;
      isStopped = true;
      if (--running.users > 0) return;
      this.#running.delete(target);
      running.stop();
    };
  }
}
