interface Running {
  users: number;
  readonly stop: () => void;
}

/**
 * Lets several users share what must not run twice for one target, or every event would be counted
 * twice: two applications of one process that report to one registry, for one.
 */
export class StartOnce<Target extends object> {
  readonly #running = new WeakMap<Target, Running>();

  /** Answers a function that stops it, with the last of those who started it. */
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
