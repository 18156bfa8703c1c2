import type { JuteWriter, ReplyBody, RequestType } from 'zk-protocol';
import type { RequestError } from '../request-error.js';

/** A request, and whom its answer is told: in the turn in which it comes, and in no later one. */
export interface Question<T extends RequestType = RequestType> {
  readonly type: T;
  /** What it is about, for its error. */
  readonly path: string;
  /** How many requests it stands for. @default 1 */
  readonly size?: number;
  /** Writes what follows the header. */
  write(writer: JuteWriter): void;
  /** @throws {ProtocolError} where the body is no answer to this, which ends the connection */
  resolve(body: ReplyBody<T>, zxid: bigint): void;
  reject(error: RequestError): void;
}

/** A request that was sent, and the number by which its answer is known. */
export interface Pending {
  readonly xid: number;
  readonly question: Question;
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
