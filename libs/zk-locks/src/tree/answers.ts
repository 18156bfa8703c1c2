import { retryUntilAnswered, type Session, type SessionLease, type Wait } from 'zk-client/recipes';
import { newAnswerWait } from '../queue/wait.js';

/** ZooKeeper's answers about a tree. Each has its own time limit, because there may be much to read. */
export class Answers {
  constructor(
    private readonly session: Session,
    private readonly root: string,
    private readonly timeoutMs: number,
    private readonly closing: AbortSignal,
  ) {}

  async connected(): Promise<SessionLease> {
    using wait = this.#newWait();
    return await this.session.whenConnected(wait.signal);
  }

  /** Waits for the answers to requests that are sent together. */
  async to<T>(lease: SessionLease, ask: () => Promise<T>): Promise<T> {
    using wait = this.#newWait();
    return await wait.for(retryUntilAnswered(this.session, lease, ask));
  }

  /** Sends a request for each item, a limited number at a time. */
  async toEach<T>(
    lease: SessionLease,
    items: readonly T[],
    atOnce: number,
    ask: (item: T) => Promise<void>,
  ): Promise<void> {
    for (let from = 0; from < items.length; from += atOnce) {
      const some = items.slice(from, from + atOnce);
      await this.to(lease, () => Promise.all(some.map(ask)));
    }
  }

  #newWait(): Wait {
    const { session, root, timeoutMs, closing } = this;
    return newAnswerWait(
      session,
      timeoutMs,
      `did not show ${root} within ${timeoutMs} ms`,
      closing,
    );
  }
}
