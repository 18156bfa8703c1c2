import { ErrorCode, type MultiResult, OpCode, ProtocolError, type RequestType } from 'zk-protocol';
import { describeReturnCode, ReturnCode, type ZooKeeperError } from '../../port/client-errors.js';
import type { Channel } from '../channel/channel.js';
import { errorOf } from '../error-of.js';
import type { Batching } from './batching.js';
import {
  type Asked,
  frameBytes,
  gather,
  type Gathered,
  readAnswers,
  writeAnswers,
  writeParts,
} from './gathered.js';
import { areTooFew, type Batch, type Limits, nextBatch } from './plan.js';
import { nextTick, performance, queueMicrotask } from '../../real-time.js';

/**
 * Limits of one frame. A quarter of what a server accepts (`jute.maxbuffer`) is enough to keep a
 * long round trip from being a bottleneck.
 */
const LIMITS: Limits = {
  fewestWrites: 4,
  mostWrites: 256,
  mostReads: 64,
  mostBytes: 262_144,
};

type Line = Pick<Channel, 'isOpen' | 'onDown' | 'send' | 'giveUp' | 'close'>;

/** Codes with which a server may refuse a whole batch: it is busy, or the session is over. */
const REFUSE_ALL: ReadonlySet<number> = new Set([
  ErrorCode.throttledOp,
  ErrorCode.sessionExpired,
  ErrorCode.authFailed,
]);

type Failure = Pick<ZooKeeperError, 'returnCode' | 'cause'>;

/** Requests that are answered together. */
interface Frame {
  readonly requests: readonly Gathered[];
  readonly sentAt: number;
  /** Its requests will be sent again; this answer is ignored. */
  isVoid: boolean;
}

/**
 * Sends requests together. The requests of one turn of the event loop leave at its end, as {@link
 * nextBatch} says. They leave as a `multi` if the server would be busy with them for longer than a
 * round trip. While a `multi` is unanswered, writes and the requests that must follow them are
 * queued.
 *
 * A `multi` with a refused part has done nothing. All of it is sent again one by one, before any
 * later request. The refused part is sent again too, because the parts before it have affected the
 * verdict. Only reads can have been sent meanwhile. They are sent again as well, because they must
 * see the writes before them. So at most one `multi` is unanswered, and no write was sent after it.
 */
export class Batcher {
  #queue: Gathered[] = [];
  /** Frames sent after the unanswered `multi`. */
  #behindMulti: Frame[] | undefined;
  #shortestTripMs = Infinity;
  /** The longest frame that a lost connection left unanswered. */
  #longestLost: Frame | undefined;
  #isScheduled = false;
  #isClosing = false;
  #onDrained: (() => void) | undefined;
  readonly #flush = (): void => this.#sendGathered();
  readonly #flushSoon = (): void => nextTick(this.#flush);

  constructor(
    private readonly line: Line,
    private readonly batching: Batching,
    private readonly limits = LIMITS,
  ) {
    line.onDown = (wasCut) => {
      if (wasCut && this.#longestLost) this.#learnFromCut(this.#longestLost);
      this.#rejectAll();
    };
  }

  get isOpen(): boolean {
    return this.line.isOpen && !this.#isClosing;
  }

  send<T extends RequestType>(asked: Asked<T>): void {
    if (!this.isOpen) {
      asked.reject(errorOf(asked, ReturnCode.invalidState));
      return;
    }
    try {
      const request = gather(asked);
      const refusal = this.batching.frameLimits.refusal(request.bytes);
      if (refusal) throw refusal;
      this.#queue.push(request);
    } catch (error) {
      asked.reject(errorOf(asked, ErrorCode.badArguments, error));
      return;
    }
    this.#schedule();
  }

  /** As {@link Channel.close}. */
  async close(): Promise<boolean> {
    this.line.giveUp();
    if (!this.isOpen) return false;
    this.#isClosing = true;
    await new Promise<void>((resolve) => {
      this.#onDrained = resolve;
      this.#tellDrained();
    });
    return this.line.close();
  }

  /**
   * Flushes at the end of this turn, after the reactions to the answers that this turn delivers.
   */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(this.#flushSoon);
  }

  #sendGathered(): void {
    this.#isScheduled = false;
    const frameLimits = this.batching.frameLimits;
    const limits = {
      fewestWrites: this.#fewestWrites(),
      mostWrites: this.limits.mostWrites,
      mostReads: Math.min(this.limits.mostReads, frameLimits.mostReads),
      mostBytes: Math.min(this.limits.mostBytes, frameLimits.mostBytes),
    };
    if (!this.#behindMulti && areTooFew(this.#queue, limits)) {
      for (const request of this.#queue.splice(0)) this.#sendAlone(request);
    } else {
      this.#sendBatches(limits);
    }
    this.#tellDrained();
  }

  #sendBatches(limits: Limits): void {
    const queue = this.#queue;
    let sent = 0;
    while (sent < queue.length) {
      const mayWrite = this.#behindMulti === undefined;
      const batch = nextBatch(queue, sent, limits, mayWrite);
      if (batch.size === 0) break;
      sent += batch.size;
      this.#send(batch);
    }
    if (sent > 0) this.#queue = queue.slice(sent);
  }

  /**
   * With fewer writes, a later write would wait longer for the answer than the server needs for
   * them.
   */
  #fewestWrites(): number {
    const trip = Number.isFinite(this.#shortestTripMs) ? this.#shortestTripMs : 0;
    return Math.max(this.limits.fewestWrites, Math.ceil(trip * this.batching.writesPerMs));
  }

  #send({ writes, together, loneReads, reads }: Batch<Gathered>): void {
    for (const write of writes) this.#sendAlone(write);
    if (together.length > 0) this.#sendMulti(together);
    for (const read of loneReads) this.#sendAlone(read);
    for (const group of reads) {
      if (group.length > 1 && this.batching.readsTogether) this.#sendMultiRead(group);
      else for (const read of group) this.#sendAlone(read);
    }
  }

  #sendAlone(request: Gathered): void {
    const { type, path, body } = request;
    const frame = this.#newFrame([request]);
    this.line.send({
      type,
      path,
      write: (writer) => writer.raw(body),
      resolve: (answer) => this.#settle(frame, () => request.asked.resolve(answer)),
      reject: (error) => this.#fail(error, frame),
    });
  }

  #sendMultiRead(requests: readonly Gathered[]): void {
    const frame = this.#newFrame(requests);
    this.line.send({
      ...{ type: OpCode.multiRead, path: '', size: requests.length },
      write: (writer) => writeParts(writer, requests),
      resolve: (results) => {
        const answers = readAnswers(requests, results);
        const tell = (): void => {
          for (const [index, request] of requests.entries()) {
            const result = answers[index];
            if (result && 'answer' in result) request.asked.resolve(result.answer);
            else if (result) refuse(request, result.err);
          }
        };
        this.#settle(frame, tell);
      },
      reject: (error) => {
        // `multiRead` exists since ZooKeeper 3.6; older servers also hang up.
        if (error.returnCode === ErrorCode.unimplemented) this.batching.readsTogether = false;
        if (isTooLong(error)) {
          this.batching.frameLimits.tooLong();
          // Any of them may be the one with the long answer. Each may be asked again.
          this.#fail({ returnCode: ErrorCode.connectionLoss, cause: error.cause }, frame);
        } else this.#failTogether(error, frame);
      },
    });
  }

  #sendMulti(requests: readonly Gathered[]): void {
    const frame = this.#newFrame(requests);
    this.#behindMulti = [];
    this.line.send({
      ...{ type: OpCode.multi, path: '' },
      write: (writer) => writeParts(writer, requests),
      resolve: (results, zxid) => this.#settleMulti(frame, results, zxid),
      reject: (error) => {
        this.#behindMulti = undefined;
        this.#failTogether(error, frame);
      },
    });
  }

  /** @throws {ProtocolError} */
  #settleMulti(frame: Frame, results: readonly MultiResult[], zxid: bigint): void {
    const { requests } = frame;
    const answers = writeAnswers(requests, results, zxid);
    if (!answers) this.#sendAgain(requests);
    this.#behindMulti = undefined;
    this.#settle(frame, () => {
      for (const [index, answer] of answers?.entries() ?? [])
        requests[index]?.asked.resolve(answer);
    });
  }

  #sendAgain(requests: readonly Gathered[]): void {
    const again = [...requests];
    for (const request of again) request.kind = 'lone-write';
    for (const frame of this.#behindMulti ?? []) {
      frame.isVoid = true;
      again.push(...frame.requests);
    }
    this.#queue = [...again, ...this.#queue];
  }

  #newFrame(requests: readonly Gathered[]): Frame {
    const frame = { requests, sentAt: performance.now(), isVoid: false };
    this.#behindMulti?.push(frame);
    return frame;
  }

  #settle(frame: Frame, tell: () => void): void {
    this.#shortestTripMs = Math.min(this.#shortestTripMs, performance.now() - frame.sentAt);
    if (this.line.isOpen) this.batching.frameLimits.answered(frameBytes(frame.requests));
    if (frame.isVoid) return;
    tell();
    if (this.#queue.length > 0) this.#schedule();
    this.#tellDrained();
  }

  #fail({ returnCode, cause }: Failure, frame: Frame): void {
    if (returnCode === ErrorCode.connectionLoss) this.#noteLost(frame);
    this.#settle(frame, () => {
      for (const request of frame.requests) refuse(request, returnCode, cause);
    });
  }

  /** @throws {ProtocolError} if the server had no reason to refuse the batch as a whole */
  #failTogether(error: ZooKeeperError, frame: Frame): void {
    const isNonsense = this.line.isOpen && !REFUSE_ALL.has(error.returnCode);
    if (!isNonsense) {
      this.#fail(error, frame);
      return;
    }
    const { text } = describeReturnCode(error.returnCode);
    const refused = `refused as a whole: ${text} (${error.returnCode})`;
    const isUnread = error.cause instanceof ProtocolError;
    const cause = isUnread ? error.cause : new ProtocolError('BAD_VALUE', refused);
    this.#fail({ returnCode: ErrorCode.marshallingError, cause }, frame);
    throw cause;
  }

  #noteLost(frame: Frame): void {
    const longest = frameBytes(this.#longestLost?.requests ?? []);
    if (frameBytes(frame.requests) > longest) this.#longestLost = frame;
  }

  #learnFromCut({ requests }: Frame): void {
    this.batching.frameLimits.cut(frameBytes(requests), requests.length > 1);
  }

  /** Requests that were sent have been rejected already. */
  #rejectAll(): void {
    const queue = this.#queue;
    this.#queue = [];
    for (const request of queue) refuse(request, ReturnCode.invalidState);
    this.#tellDrained();
  }

  #tellDrained(): void {
    if (this.#queue.length === 0 && !this.#behindMulti) this.#onDrained?.();
  }
}

function refuse({ asked }: Gathered, returnCode: number, cause?: unknown): void {
  asked.reject(errorOf(asked, returnCode, cause));
}

function isTooLong({ returnCode, cause }: ZooKeeperError): boolean {
  const isItsOwn = returnCode === ErrorCode.marshallingError;
  return isItsOwn && cause instanceof ProtocolError && cause.code === 'TOO_LONG';
}
