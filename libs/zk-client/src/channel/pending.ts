import type { RequestType } from 'zk-protocol';
import type { RequestError, RequestLabel } from '../request-error.js';

/** A request that was sent, and whoever waits for its answer. */
export interface Pending extends RequestLabel {
  readonly xid: number;
  readonly type: RequestType;
  /** How many requests are answered together. */
  readonly size: number;
  /** @throws {ProtocolError} where the body is no answer to what was asked */
  resolve(body: unknown, zxid: bigint): void;
  reject(error: RequestError): void;
}

/** A queue of what is answered in order, which takes from its head in constant time. */
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

  /** The oldest one, if that is what was asked for. */
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
