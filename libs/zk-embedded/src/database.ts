import { SessionTable } from './sessions/session-table.js';
import { DataTree } from './tree/data-tree.js';
import { Transaction } from './tree/transaction.js';

const EPOCH_BITS = 32n;

/** The state that a restart can keep: the znodes, the sessions, and the count of transactions. */
export class Database {
  #lastZxid: bigint;
  #time: number | undefined;

  private constructor(
    private readonly tickTimeMs: number,
    private readonly epoch: bigint,
    readonly tree = new DataTree(),
    readonly sessions = new SessionTable(tickTimeMs),
  ) {
    this.#lastZxid = epoch << EPOCH_BITS;
  }

  static empty(tickTimeMs: number): Database {
    return new Database(tickTimeMs, 0n);
  }

  /** The same znodes, sessions and count of transactions; changes of one do not reach the other. */
  copy(): Database {
    const { tickTimeMs, epoch, tree, sessions } = this;
    const copy = new Database(tickTimeMs, epoch, tree.copy(), sessions.copy());
    copy.#lastZxid = this.#lastZxid;
    return copy;
  }

  /**
   * An empty database whose zxids continue in the next epoch. If they went back, clients that have
   * seen higher ones would be refused, and fencing tokens would repeat.
   */
  successor(): Database {
    return new Database(this.tickTimeMs, this.epoch + 1n);
  }

  get lastZxid(): bigint {
    return this.#lastZxid;
  }

  /**
   * Sets the zxid that the next transaction follows, if the transactions come from a log of several
   * servers.
   *
   * @param time of the transactions from now on, in milliseconds since 1970; by default, that of
   * the clock
   */
  continueAfter(zxid: bigint, time?: number): void {
    this.#lastZxid = zxid;
    this.#time = time;
  }

  /**
   * Makes changes under the next zxid, which is used up even when they fail.
   *
   * @throws whatever `change` throws; all of its changes are undone
   */
  transact<T>(change: (transaction: Transaction) => T): { result: T; transaction: Transaction } {
    this.#lastZxid += 1n;
    const transaction = new Transaction(this.#lastZxid, this.#time ?? Date.now());
    try {
      return { result: change(transaction), transaction };
    } catch (error) {
      transaction.rollBack();
      throw error;
    }
  }
}
