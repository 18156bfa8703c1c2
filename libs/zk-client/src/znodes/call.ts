import { setImmediate as nextTurn } from 'node:timers/promises';
import { isConnectionError, ReturnCode, ZooKeeperError } from '../port/client-errors.js';
import { tryAgain } from '../certain/ask.js';
import type { Session } from '../session/session.js';
import type { Caller } from '../session/session-requests.js';
import type { SessionLease } from '../session/session-lease.js';
import { countText } from '../count-text.js';
import { ZkClosedError } from '../zk-lock-error.js';
import { unavailableError, Wait } from '../session/wait.js';
import { OVERHEAD_BYTES, type Traffic } from './traffic.js';

type Send<T> = (lease: SessionLease) => Promise<T>;

export interface CallOptions {
  /** The request in errors. */
  readonly request: string;
  /** Includes the chroot. */
  readonly path: string;
  /** The number of bytes of data that are sent. @default 0 */
  readonly bytes?: number;
  readonly readsData?: boolean;
  /** @default the longest wait for an answer */
  readonly timeoutMs?: number | undefined;
  /** What to do if the outcome of a write is unknown, as a sentence. Reads have none. */
  readonly remedy?: string;
}

/** The calls of users. Each has its place in the traffic, and its time limit. */
export class Calls {
  readonly #open = new Set<Call>();
  #isClosed = false;

  constructor(
    private readonly session: Session,
    readonly traffic: Traffic,
    private readonly answerWithinMs: number,
  ) {}

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * @throws {ZkClosedError}
   * @throws {ZooKeeperUnavailableError} when it was not answered in time, and nothing was written
   * @throws {ZooKeeperError} `ambiguous` when it may have been executed
   */
  async run<T>(options: CallOptions, work: (call: Call) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new ZkClosedError();
    const { session, traffic, answerWithinMs } = this;
    const { timeoutMs = answerWithinMs, bytes: dataBytes = 0, readsData } = options;
    const onTimeout = (): Error =>
      this.#unavailable(options, `within ${timeoutMs || answerWithinMs} ms`);
    using wait = new Wait({
      ...{ timeoutMs, answerWithinMs, onTimeout },
      onAbort: () => new ZkClosedError(),
    });
    const call = new Call(options, session, wait);
    this.#open.add(call);
    try {
      if (timeoutMs === 0 && !session.isConnected) throw this.#unavailable(options, 'immediately');
      const bytes = await traffic.enter(dataBytes + OVERHEAD_BYTES, wait, readsData);
      return await this.#perform(call, bytes, work);
    } finally {
      this.#open.delete(call);
    }
  }

  /** Refuses calls that have not been sent. Those that were sent are answered, or lost. */
  close(): void {
    this.#isClosed = true;
    for (const call of this.#open) call.close();
  }

  async #perform<T>(call: Call, bytes: number, work: (call: Call) => Promise<T>): Promise<T> {
    try {
      return await work(call);
    } catch (error) {
      throw call.isOverBy(error) ? (call.unknownOutcome ?? error) : error;
    } finally {
      // A request counts until it is answered, even after its call has given up.
      void call.whenIdle().then(() => this.traffic.leave(bytes));
    }
  }

  #unavailable({ request, path }: CallOptions, time: string): Error {
    const { session, traffic } = this;
    const isBusy = session.isConnected && traffic.waiting > 0;
    const remedy = isBusy
      ? `${countText(traffic.waiting, 'call of this client waits', 'calls of this client wait')} to be sent: make fewer calls at a time`
      : 'Check that the servers are running and can be reached';
    const what = `did not answer the request ${request} ${path} ${time}`;
    return unavailableError(session, what, `${remedy}, or raise \`timeoutMs\`.`);
  }
}

/** One call of a user, which may consist of several requests. */
export class Call implements Caller {
  #underway: Promise<unknown> | undefined;
  #isClosed = false;
  #lost: ZooKeeperError | undefined;

  constructor(
    private readonly options: CallOptions,
    private readonly session: Session,
    private readonly wait: Wait,
  ) {}

  /** The error for a write that may have been executed; undefined if it cannot have been. */
  get unknownOutcome(): ZooKeeperError | undefined {
    return this.#unknownOutcome(undefined);
  }

  /** Whether this is the error with which the call itself ended. */
  isOverBy(error: unknown): boolean {
    return error instanceof ZkClosedError || (this.wait.isOver && error === this.#reason);
  }

  throwIfOver(): void {
    this.wait.throwIfOver();
  }

  close(): void {
    this.#isClosed = true;
    if (!this.#underway) this.wait.stop(new ZkClosedError());
  }

  /** Resolves when none of its requests is in progress. Never rejects. */
  async whenIdle(): Promise<void> {
    await this.#underway;
  }

  /**
   * Sends it as soon as there is a connection, and again if it was not sent.
   *
   * @throws {ZooKeeperError} the server's refusal; `ambiguous` if its answer was lost
   */
  askOnce<T>(send: Send<T>): Promise<T> {
    return this.#told(this.#ask(send, () => false));
  }

  /**
   * Like {@link askOnce}, repeated until there is an answer. For requests that may be sent twice.
   */
  askUntilAnswered<T>(send: Send<T>): Promise<T> {
    let nonsense = 0;
    // An answer that cannot be read ends the connection, for the locks as well.
    return this.#ask(
      send,
      ({ returnCode }) => returnCode !== ReturnCode.marshallingError || ++nonsense <= 1,
    );
  }

  /**
   * Like {@link askUntilAnswered}, for a write.
   *
   * @throws {ZooKeeperError} `ambiguous` if it was refused after an answer was lost: the first
   * request may have been executed
   */
  askUntilDone<T>(send: Send<T>): Promise<T> {
    return this.#told(this.askUntilAnswered(send));
  }

  /** Adjusts the error of a write once an answer was lost. */
  #told<T>(write: Promise<T>): Promise<T> {
    return write.catch((error: unknown) => {
      throw error instanceof ZooKeeperError ? (this.#unknownOutcome(error.cause) ?? error) : error;
    });
  }

  /** @param whyNotAgain why it was not sent again, which is also why the answer was lost */
  #unknownOutcome(whyNotAgain: unknown): ZooKeeperError | undefined {
    const { request, path, remedy } = this.options;
    if (!this.#lost || remedy === undefined) return undefined;
    const { returnCode, cause } = this.#lost;
    return new ZooKeeperError(returnCode, request, path, {
      cause: whyNotAgain ?? cause,
      remedy: `It may have been executed. ${remedy}`,
    });
  }

  #ask<T>(send: Send<T>, mayAskAgain: (lost: ZooKeeperError) => boolean): Promise<T> {
    const attempt = async (): Promise<T> => {
      const { session, wait } = this;
      this.throwIfOver();
      if (this.#isClosed) throw new ZkClosedError();
      // In this turn if possible: calls are sent in the order of their places.
      return this.#answer(
        send(session.connectedLease ?? (await session.whenConnected(wait.signal))),
      );
    };
    return tryAgain(attempt, async (error) => {
      if (!isConnectionError(error)) return false;
      // Never in the same turn: a connection that is about to be given up may still look alive.
      await nextTurn();
      if (error.outcome !== 'ambiguous') return true;
      this.#lost = error;
      return mayAskAgain(error);
    });
  }

  async #answer<T>(sent: Promise<T>): Promise<T> {
    const settled = sent.then(
      () => undefined,
      () => undefined,
    );
    this.#underway = settled;
    void settled.then(() => {
      if (this.#underway === settled) this.#underway = undefined;
    });
    try {
      return await this.wait.for(sent);
    } catch (error) {
      const { request, path } = this.options;
      const isUnanswered = this.wait.isOver && error === this.#reason;
      if (isUnanswered)
        this.#lost ??= new ZooKeeperError(ReturnCode.operationTimeout, request, path);
      throw error;
    }
  }

  get #reason(): unknown {
    return this.wait.signal.reason as unknown;
  }
}
