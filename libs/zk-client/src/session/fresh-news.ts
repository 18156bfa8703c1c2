import { setImmediate } from '../real-time.js';
import type { Clock } from './clock.js';

/** How long ago the socket may have been read, in milliseconds. */
const READ_WITHIN_MS = 75;

/**
 * How long ago a request may have been sent whose answer was the latest, and how long reading may take, in
 * milliseconds. It is less than the second that `breakLock` gives a holder.
 */
const RECENT_MS = 800;

/** Behind more than this there may be bytes that the turn has not read, or that the server still keeps. */
const MUCH_BYTES = 65_536;

/** The connection that the news come by. */
export interface NewsSource {
  /**
   * Sends a request, where reading tells too little; its answer is told by {@link FreshNews.answered}.
   * Rejects without one.
   */
  readonly ask?: () => Promise<void>;
  /**
   * How many bytes have come; undefined where a turn of the event loop reads one message, so that only an
   * answer shows that all earlier ones were read.
   */
  readonly bytesRead: () => number | undefined;
}

/**
 * How old the news are by which something may be decided without a request: that no other contender has
 * come, that a node was not deleted, that a lock was not broken.
 *
 * After a stall of the process, the timers that are due run before its sockets are read. So it counts when
 * the socket was read last. That begins in the next turn of the event loop: the present one may have looked
 * at the sockets before it stalled. And a connection may be cut off without a sign. So it counts as well
 * when the server was heard last (docs/decisions/0025-fresh-news.md).
 *
 * Nothing happens while nothing is decided: no timer runs.
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

  /** By the clock of the news. */
  get now(): number {
    return this.clock.now();
  }

  /** When the latest request was sent that was answered. */
  get heardAt(): number {
    return this.#heardAt;
  }

  /** Whether so little time has passed that no lock can have been broken since: `breakLock` waits longer. */
  isRecent(instant: number): boolean {
    return this.clock.now() - instant <= RECENT_MS;
  }

  /** A request was answered: whatever the server had said before it was sent is read. */
  answered(sentAt: number): void {
    this.#heardAt = Math.max(this.#heardAt, sentAt);
    this.#readAt = Math.max(this.#readAt, sentAt);
  }

  /** There is a new connection, or none. */
  forget(): void {
    this.#readAt = this.#heardAt = -Infinity;
  }

  /** Reads what has come. Never rejects; {@link areFresh} says whether it was quick enough. */
  read(source: NewsSource): Promise<void> {
    this.#reading ??= this.#read(source)
      .catch(() => undefined)
      .finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #read(source: NewsSource): Promise<void> {
    if (this.isRecent(this.#heardAt) && (await this.#readTurn(source))) return;
    const since = this.clock.now();
    if (!source.ask) return;
    await source.ask();
    this.#haveRead(since);
  }

  /** Resolves behind a whole turn of the event loop, with whether that has read all. */
  async #readTurn({ bytesRead }: NewsSource): Promise<boolean> {
    const before = bytesRead();
    if (before === undefined) return false;
    await turn();
    const since = this.clock.now();
    await turn();
    if ((bytesRead() ?? Infinity) - before > MUCH_BYTES) return false;
    this.#haveRead(since);
    return true;
  }

  #haveRead(since: number): void {
    if (this.isRecent(since)) this.#readAt = this.clock.now();
  }
}

/** Resolves behind the poll phase of the event loop. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
