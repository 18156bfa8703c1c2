import type { Socket } from 'node:net';
import {
  ErrorCode,
  FrameReader,
  JuteReader,
  JuteWriter,
  type MultiResult,
  OpCode,
  ProtocolError,
  type ReplyBody,
  replyCodec,
  ReplyHeader,
  RequestHeader,
  type RequestType,
  SpecialXid,
  WatcherEvent,
} from 'zk-protocol';
import { callAll, type InLine, Line } from '../../listeners.js';
import { ReturnCode, type ZooKeeperError } from '../../port/client-errors.js';
import type { ClientEnd } from '../../port/zookeeper-client.js';
import {
  clearInterval,
  nextTick,
  performance,
  queueMicrotask,
  setInterval,
} from '../../real-time.js';
import { errorOf } from '../error-of.js';
import { SilenceLimit } from './silence-limit.js';

export interface ChannelListener {
  /**
   * A watch fired. If an answer has arrived together with this event, code that awaits it continues
   * after this call. Never called after `close` or `destroy`.
   */
  onEvent(event: WatcherEvent): void;
  /**
   * Called at most once, and never after `close` or `destroy`. All unanswered requests have been
   * rejected.
   *
   * @param cause an error that says why
   */
  onEnd(end: ClientEnd, cause: unknown): void;
}

export interface ChannelOptions {
  readonly sessionTimeoutMs: number;
  /**
   * A longer answer to one read is skipped, and any other ends the connection before its bytes
   * arrive. An answer to several requests at once may have this length for each of them, and 64 MiB
   * in all.
   */
  readonly maxFrameBytes: number;
  readonly listener: ChannelListener;
}

/** A request, and the callbacks for its answer. They run in the turn in which the answer comes. */
export interface Question<T extends RequestType = RequestType> {
  readonly type: T;
  /** The path for its error. */
  readonly path: string;
  /** The number of requests that it stands for. @default 1 */
  readonly size?: number;
  /** Writes what follows the header. */
  write(writer: JuteWriter): void;
  /** @throws {ProtocolError} if the body does not answer this request; the connection then ends */
  resolve(body: ReplyBody<T>, zxid: bigint): void;
  reject(error: ZooKeeperError): void;
}

/** A request that was sent, with the xid of its answer. */
interface Pending extends InLine<Pending> {
  readonly xid: number;
  readonly question: Question;
}

const LAST_XID = 0x7fff_ffff;
/** Room for the requests of one turn of the event loop, before the buffer has to grow. */
const ROOM_BYTES = 1_024;
const LENGTH_BYTES = 4;
/** Limit of an answer to several requests at once, unless one answer alone may be longer. */
const MAX_SHARED_FRAME_BYTES = 64 * 1_048_576;

/**
 * Requests and their answers on one socket, after the handshake.
 *
 * Requests are executed and answered in the order of the calls; all requests of one turn of the
 * event loop leave in one write. The channel ends after silence for a third of the session timeout
 * while an answer is due, and on an answer that makes no sense. If nothing else is sent for as
 * long, a ping keeps the session alive.
 */
export class Channel {
  /** In the order of the answers. */
  readonly #pending = new Line<Pending>();
  /** Requests that the server answers as soon as it reads them, before earlier ones. */
  readonly #urgent = new Line<Pending>();
  readonly #frames: FrameReader;
  /** The requests of this turn of the event loop. */
  #outgoing: JuteWriter | undefined;
  #lastSentAt = performance.now();
  readonly #silence: SilenceLimit;
  readonly #keepAlive: NodeJS.Timeout;
  #pings = 0;
  #lastXid = 0;
  #status: 'open' | 'closing' | 'ended' = 'open';
  /** Whether an answer that made no sense was that of a request that has been rejected already. */
  #isCulpritTold = false;
  /** Ended by its owner, who then gets neither `onEvent` nor `onEnd`. */
  #isGivenUp = false;
  /**
   * Called when all unanswered requests have been rejected. The argument is true if the server hung
   * up or the network failed.
   */
  onDown: ((wasCut: boolean) => void) | undefined;

  constructor(
    private readonly socket: Socket,
    private readonly options: ChannelOptions,
  ) {
    const thirdMs = Math.ceil(options.sessionTimeoutMs / 3);
    const { maxFrameBytes } = options;
    const mostBytes = Math.max(maxFrameBytes, MAX_SHARED_FRAME_BYTES);
    this.#frames = new FrameReader(
      () => Math.min(maxFrameBytes * (this.#pending.head?.question.size ?? 1), mostBytes),
      (error) => this.#skips(error),
    );
    this.#silence = new SilenceLimit(thirdMs, () =>
      this.#end('disconnected', ErrorCode.operationTimeout),
    );
    this.#keepAlive = setInterval(() => this.#pingIfIdle(thirdMs), thirdMs).unref();
    socket.on('data', (piece: Buffer) => this.#receive(piece));
    socket.on('error', (error) => this.#end('disconnected', ErrorCode.connectionLoss, error));
    const onGone = (): void => this.#end('disconnected', ErrorCode.connectionLoss);
    socket.on('end', onGone).on('close', onGone);
    // The handshake has left it paused.
    socket.resume();
  }

  get isOpen(): boolean {
    return this.#status === 'open';
  }

  get bytesRead(): number {
    return this.socket.bytesRead;
  }

  send<T extends RequestType>(question: Question<T>): void {
    const { type } = question;
    if (!this.isOpen) {
      question.reject(errorOf(question, ReturnCode.invalidState));
      return;
    }
    const xid = type === OpCode.auth ? SpecialXid.auth : this.#nextXid();
    try {
      this.#write(xid, type, (writer) => question.write(writer));
    } catch (error) {
      question.reject(errorOf(question, ErrorCode.badArguments, error));
      return;
    }
    const queue = isUrgent(type) ? this.#urgent : this.#pending;
    queue.join({ xid, question });
  }

  /**
   * Ends the session after all earlier requests. False if the connection is lost first; the session
   * may live on then.
   */
  async close(): Promise<boolean> {
    this.giveUp();
    if (!this.isOpen) return false;
    const closing = new Promise<void>((resolve, reject) =>
      this.send({ type: OpCode.closeSession, path: '', write: () => undefined, resolve, reject }),
    );
    this.#status = 'closing';
    try {
      await closing;
    } catch {
      return false;
    } finally {
      this.destroy();
    }
    return true;
  }

  /** Breaks the connection because of an answer that ends it, or that cannot be true. */
  drop(error: ZooKeeperError): void {
    if (this.#status === 'ended') return;
    this.#status = 'ended';
    this.#fail(ErrorCode.connectionLoss);
    const isOver = error.outcome === 'session-over';
    this.#tellEnd(isOver ? 'session-expired' : 'disconnected', error);
  }

  /** Breaks the connection without notice; the session lives on. */
  destroy(): void {
    this.giveUp();
    this.#status = 'ended';
    this.#fail(ErrorCode.connectionLoss);
  }

  /** From now on its owner gets neither `onEvent` nor `onEnd`. */
  giveUp(): void {
    this.#isGivenUp = true;
  }

  #nextXid(): number {
    this.#lastXid = this.#lastXid === LAST_XID ? 1 : this.#lastXid + 1;
    return this.#lastXid;
  }

  /** @throws {ProtocolError} if the body cannot be encoded; none of it is sent then */
  #write(xid: number, type: RequestType, writeBody: (writer: JuteWriter) => void): void {
    if (!this.#outgoing) nextTick(() => this.#flush());
    const writer = (this.#outgoing ??= new JuteWriter(ROOM_BYTES));
    const start = writer.length;
    try {
      writer.int(0);
      RequestHeader.write(writer, { xid, type });
      writeBody(writer);
      writer.patchInt(start, writer.length - start - LENGTH_BYTES);
    } catch (error) {
      writer.truncate(start);
      throw error;
    }
  }

  #flush(): void {
    const writer = this.#outgoing;
    this.#outgoing = undefined;
    if (!writer || writer.length === 0 || this.socket.destroyed) return;
    this.#lastSentAt = performance.now();
    this.socket.write(writer.finish());
    // Measured from now and not from the call: that turn of the event loop may have taken long.
    this.#silence.expect();
  }

  #pingIfIdle(idleMs: number): void {
    // A timer may fire a little early; waiting for a whole second period would be too late.
    if (performance.now() - this.#lastSentAt < idleMs / 2) return;
    this.#write(SpecialXid.ping, OpCode.ping, () => undefined);
    this.#pings++;
  }

  #receive(piece: Buffer): void {
    try {
      for (const frame of this.#frames.read(piece)) {
        if (this.#status === 'ended') return;
        this.#take(frame);
      }
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.#end('disconnected', ErrorCode.marshallingError, error);
    }
    // The bytes of a skipped frame answer nothing, and may take longer than the session lives.
    if (!this.#frames.isSkipping) this.#heard();
  }

  #heard(): void {
    const owed = this.#pending.length + this.#urgent.length + this.#pings;
    this.#silence.heard(owed === 0);
  }

  /** @throws {ProtocolError} */
  #take(frame: Buffer): void {
    const reader = new JuteReader(frame);
    const { xid, zxid, err } = ReplyHeader.read(reader);
    if (xid === SpecialXid.notification) {
      const event = WatcherEvent.read(reader);
      // Frames behind it may have come in the same piece.
      if (!this.#isGivenUp) callAll([() => this.options.listener.onEvent(event)]);
    } else if (xid === SpecialXid.ping) {
      this.#pings = Math.max(0, this.#pings - 1);
    } else {
      const pending = takeHead(this.#pending, xid) ?? takeHead(this.#urgent, xid);
      if (!pending) throw new ProtocolError('BAD_VALUE', `an answer to ${xid}, which is not due`);
      this.#isCulpritTold = true;
      if (err === ErrorCode.ok) this.#settle(pending.question, zxid, reader);
      else this.#refuse(pending.question, err);
      this.#isCulpritTold = false;
    }
  }

  /** Whether the connection goes on behind a frame that is too long: it answers the oldest request. */
  #skips(error: ProtocolError): boolean {
    const { head } = this.#pending;
    if (!head || !isLoneRead(head.question.type)) return false;
    this.#pending.leave(head);
    head.question.reject(errorOf(head.question, ReturnCode.answerTooLong, error));
    this.#heard();
    return true;
  }

  #refuse(question: Question, err: number): void {
    question.reject(errorOf(question, err));
    if (err === ErrorCode.sessionExpired) this.#end('session-expired', err);
    // The answer is out of order: earlier requests may have been done.
    if (err === ErrorCode.authFailed) this.#end('auth-failed', ErrorCode.connectionLoss);
  }

  /** @throws {ProtocolError} */
  #settle(question: Question, zxid: bigint, reader: JuteReader): void {
    const { type } = question;
    try {
      const body = replyCodec(type).read(reader);
      if (saysExpired(type, body)) this.#refuse(question, ErrorCode.sessionExpired);
      else question.resolve(body, zxid);
    } catch (error) {
      if (isLoneRead(type) && error instanceof ProtocolError && error.code === 'TOO_LONG') {
        question.reject(errorOf(question, ReturnCode.answerTooLong, error));
        return;
      }
      question.reject(errorOf(question, ErrorCode.marshallingError, error));
      throw error;
    }
  }

  #end(end: ClientEnd, code: number, cause?: unknown): void {
    if (this.#status === 'ended') return;
    this.#status = 'ended';
    const wasCut = end === 'disconnected' && code === ErrorCode.connectionLoss;
    this.#fail(code, cause, wasCut && !this.#isGivenUp);
    this.#tellEnd(end, cause ?? endOf(end, code));
  }

  #tellEnd(end: ClientEnd, cause: unknown): void {
    queueMicrotask(() => {
      if (!this.#isGivenUp) this.options.listener.onEnd(end, cause);
    });
  }

  #fail(code: number, cause?: unknown, wasCut = false): void {
    clearInterval(this.#keepAlive);
    this.#silence.stop();
    this.socket.destroy();
    const isTold = code === ErrorCode.marshallingError && this.#isCulpritTold;
    let reason: number = isTold ? ErrorCode.connectionLoss : code;
    for (const { question } of [...this.#pending.takeAll(), ...this.#urgent.takeAll()]) {
      question.reject(errorOf(question, reason, cause));
      // Answers come in order, so that only the first request can have got one without sense.
      if (reason === ErrorCode.marshallingError) reason = ErrorCode.connectionLoss;
    }
    this.onDown?.(wasCut);
  }
}

/** Why it ended, if no error says so. */
function endOf(end: ClientEnd, code: number): Error {
  if (end === 'auth-failed') return new Error('the server refused the identity');
  return new Error(
    code === ErrorCode.operationTimeout ? 'no answer in time' : 'closed by the server',
  );
}

/** The oldest request, if it has this xid. */
function takeHead(line: Line<Pending>, xid: number): Pending | undefined {
  const { head } = line;
  if (head?.xid !== xid) return undefined;
  line.leave(head);
  return head;
}

/** Proofs of identity, answered as soon as the server reads them. */
function isUrgent(type: RequestType): boolean {
  return type === OpCode.auth || type === OpCode.sasl;
}

/** Reads whose answers may have any length, and which change nothing. */
function isLoneRead(type: RequestType): boolean {
  return type === OpCode.getChildren || type === OpCode.getData;
}

/** Codes of a `multi` that the server refuses for its session, and not for the whole. */
function saysExpired(type: RequestType, body: unknown): boolean {
  if (type !== OpCode.multi) return false;
  return (body as readonly MultiResult[]).some(
    (result) => result.type === OpCode.error && result.err === ErrorCode.sessionExpired,
  );
}
