import type { JuteWriter, ReplyBody, RequestType } from 'zk-protocol';
import type { RequestError } from '../request-error.js';

/** A request, and the callbacks for its answer. They run in the turn in which the answer comes. */
export interface Question<T extends RequestType = RequestType> {
  readonly type: T;
  /** The path for its error. */
  readonly path: string;
  /** How many requests it stands for. @default 1 */
  readonly size?: number;
  /** Writes what follows the header. */
  write(writer: JuteWriter): void;
  /** @throws {ProtocolError} if the body is not an answer to this; the connection ends then */
  resolve(body: ReplyBody<T>, zxid: bigint): void;
  reject(error: RequestError): void;
}

/** A request that was sent, with the xid of its answer. */
export interface Pending {
  readonly xid: number;
  readonly question: Question;
}

/** A queue of unanswered requests. Taking from its head is O(1). */
export class PendingQueue {
  #items: (Pending | undefined)[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  get oldest(): Pending | undefined {
    return this.#items[this.#head];
  }

  push(pending: Pending): void {
    this.#items.push(pending);
  }

  /** The oldest request, if it has this xid. */
  take(xid: number): Pending | undefined {
    const { oldest } = this;
    if (oldest?.xid !== xid) return undefined;
    this.#items[this.#head++] = undefined;
    if (this.#head === this.#items.length) this.#reset();
    else if (this.#head > this.#items.length / 2 && this.#head > 1_000) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return oldest;
  }

  takeAll(): Pending[] {
    const all = this.#items.slice(this.#head).filter((pending) => pending !== undefined);
    this.#reset();
    return all;
  }

  #reset(): void {
    this.#items = [];
    this.#head = 0;
  }
}
