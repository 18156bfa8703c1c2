import type { ZooKeeperClient } from '../port/zookeeper-client.js';
import { setImmediate } from '../real-time.js';
import type { Clock } from './clock.js';

/** How long ago the socket may have been read, in milliseconds. */
const READ_WITHIN_MS = 75;

/**
 * How long ago the request of the latest answer may have been sent, and how long reading may take,
 * in milliseconds. It is less than the second that `breakLock` gives a holder.
 */
const RECENT_MS = 800;

/**
 * If more bytes than this have arrived, there may be others that the turn has not read, or that the
 * server still holds back.
 */
const MUCH_BYTES = 65_536;

/** The connection that delivers the news. */
type Connected = Pick<ZooKeeperClient, 'bytesRead'>;

/**
 * Tracks whether the news from the server are recent enough to make decisions without a request:
 * that no other contender has arrived, that a node was not deleted, that a lock was not broken.
 *
 * After a stall of the process, the timers that are due run before the sockets are read. Therefore,
 * it matters when the socket was last read. A read starts in the next turn of the event loop,
 * because the current turn may have polled the sockets before it stalled. And because a connection
 * may be cut off without a sign, it also matters when the server last answered
 * (docs/decisions/0025-fresh-news.md).
 *
 * While there is nothing to decide, nothing happens: no timer runs.
 */
export class FreshNews {
  #readAt = -Infinity;
  #heardAt = -Infinity;
  #reading: Promise<void> | undefined;

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  get areFresh(): boolean {
    const now = this.clock.now();
    return now - this.#readAt <= READ_WITHIN_MS && now - this.#heardAt <= RECENT_MS;
  }

  /** The time by the clock of the news. */
  get now(): number {
    return this.clock.now();
  }

  /** When the latest answered request was sent. */
  get heardAt(): number {
    return this.#heardAt;
  }

  /**
   * Whether so little time has passed since then that no lock can have been broken: `breakLock`
   * waits longer.
   */
  isRecent(instant: number): boolean {
    return this.clock.now() - instant <= RECENT_MS;
  }

  /**
   * Called when a request was answered: everything that the server had sent before that request has
   * been read.
   */
  answered(sentAt: number): void {
    this.#heardAt = Math.max(this.#heardAt, sentAt);
    this.#readAt = Math.max(this.#readAt, sentAt);
  }

  /** Called when there is a new connection. */
  forget(): void {
    this.#readAt = this.#heardAt = -Infinity;
  }

  /**
   * Reads what has arrived. Never rejects; {@link areFresh} then says whether this was quick
   * enough.
   *
   * @param ask sends a request if reading alone is not enough; its answer is reported by
   * {@link answered}
   */
  read(client: Connected, ask?: () => Promise<void>): Promise<void> {
    this.#reading ??= this.#read(client, ask)
      .catch(() => undefined)
      .finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #read(client: Connected, ask?: () => Promise<void>): Promise<void> {
    if (this.isRecent(this.#heardAt) && (await this.#readTurn(client))) return;
    const since = this.clock.now();
    if (!ask) return;
    await ask();
    this.#haveRead(since);
  }

  /** Resolves after a whole turn of the event loop, with true if that turn has read everything. */
  async #readTurn(client: Connected): Promise<boolean> {
    const { bytesRead: before } = client;
    // Only an answer then shows that all earlier messages have been read.
    if (before === undefined) return false;
    await turn();
    const since = this.clock.now();
    await turn();
    if ((client.bytesRead ?? Infinity) - before > MUCH_BYTES) return false;
    this.#haveRead(since);
    return true;
  }

  #haveRead(since: number): void {
    if (this.isRecent(since)) this.#readAt = this.clock.now();
  }
}

/** Resolves after the poll phase of the event loop. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
