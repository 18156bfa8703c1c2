import type { Socket } from 'node:net';
import {
  ErrorCode,
  FrameReader,
  JuteReader,
  OpCode,
  opName,
  ProtocolError,
  type ReplyBody,
  replyCodec,
  ReplyHeader,
  type RequestBody,
  type RequestType,
  SpecialXid,
  WatcherEvent,
} from 'zk-protocol';
import { RequestError } from '../request-error.js';
import { Outgoing } from './outgoing.js';
import { type Pending, PendingQueue } from './pending.js';
import { SilenceLimit } from './silence-limit.js';

/** Why a channel came to its end without having been told to. */
export type ChannelEnd = 'disconnected' | 'session-expired' | 'auth-failed';

export interface ChannelListener {
  /** A watch fired. */
  onEvent(event: WatcherEvent): void;
  /** Called at most once, and not after `close` or `destroy`. Everything unanswered has been rejected. */
  onEnd(end: ChannelEnd, cause: unknown): void;
}

export interface ChannelOptions {
  readonly sessionTimeoutMs: number;
  /** A longer frame ends the connection, before its bytes are waited for. */
  readonly maxFrameBytes: number;
  readonly listener: ChannelListener;
}

const LAST_XID = 0x7fff_ffff;

/**
 * Requests and their answers on one socket, behind the handshake.
 *
 * Requests are executed and answered in the order in which they are made; all of one turn of the
 * event loop leave in one write. Silence for a third of the session timeout while an answer is due
 * ends the channel, and so does an answer that makes no sense. Where nothing else is sent for as
 * long, a ping keeps the session alive.
 */
export class Channel {
  readonly #pending = new PendingQueue();
  /** Answered as soon as they are read by the server, whatever was asked before them. */
  readonly #urgent = new PendingQueue();
  readonly #frames: FrameReader;
  readonly #outgoing: Outgoing;
  readonly #silence: SilenceLimit;
  readonly #keepAlive: NodeJS.Timeout;
  #pings = 0;
  #lastXid = 0;
  #status: 'open' | 'closing' | 'ended' = 'open';
  /** By its owner, who then hears of no end. */
  #isGivenUp = false;

  constructor(
    private readonly socket: Socket,
    private readonly options: ChannelOptions,
  ) {
    const thirdMs = Math.ceil(options.sessionTimeoutMs / 3);
    this.#frames = new FrameReader(options.maxFrameBytes);
    this.#silence = new SilenceLimit(thirdMs, () =>
      this.#end('disconnected', ErrorCode.operationTimeout),
    );
    // Not since the call: the turn of the event loop in which it was made may have gone on for long.
    this.#outgoing = new Outgoing(socket, () => this.#silence.expect());
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

  /**
   * @param path what the request is about, for its error
   * @throws {RequestError}
   */
  request<T extends RequestType>(
    type: T,
    body: RequestBody<T>,
    path: string,
  ): Promise<ReplyBody<T>> {
    return this.#send(this.#pending, this.#nextXid(), type, body, path);
  }

  /** For what the server answers out of order: proofs of who one is. */
  requestUrgently<T extends typeof OpCode.auth | typeof OpCode.sasl>(
    type: T,
    body: RequestBody<T>,
    label: string,
  ): Promise<ReplyBody<T>> {
    const xid = type === OpCode.auth ? SpecialXid.auth : this.#nextXid();
    return this.#send(this.#urgent, xid, type, body, label);
  }

  /**
   * Ends the session, behind everything that was asked before. False where the connection is lost
   * first, and the session may live on.
   */
  async close(): Promise<boolean> {
    this.#isGivenUp = true;
    if (!this.isOpen) return false;
    const closing = this.request(OpCode.closeSession, undefined, '');
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

  /** Breaks the connection without a word; the session lives on. */
  destroy(): void {
    this.#isGivenUp = true;
    this.#status = 'ended';
    this.#fail(ErrorCode.connectionLoss);
  }

  #send<T extends RequestType>(
    queue: PendingQueue,
    xid: number,
    type: T,
    body: RequestBody<T>,
    path: string,
  ): Promise<ReplyBody<T>> {
    return new Promise((resolve, reject) => {
      const request = opName(type) ?? String(type);
      if (!this.isOpen) {
        reject(new RequestError(ErrorCode.connectionLoss, request, path, false));
        return;
      }
      try {
        this.#outgoing.request(xid, type, body);
      } catch (error) {
        reject(new RequestError(ErrorCode.badArguments, request, path, false, { cause: error }));
        return;
      }
      const settle = resolve as (body: unknown) => void;
      queue.push({ xid, type, request, path, resolve: settle, reject });
    });
  }

  #nextXid(): number {
    this.#lastXid = this.#lastXid === LAST_XID ? 1 : this.#lastXid + 1;
    return this.#lastXid;
  }

  #pingIfIdle(idleMs: number): void {
    // A timer may fire a little early, and a whole period later would be too late.
    if (performance.now() - this.#outgoing.lastSentAt < idleMs / 2) return;
    this.#outgoing.request(SpecialXid.ping, OpCode.ping, undefined);
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
    const owed = this.#pending.size + this.#urgent.size + this.#pings;
    this.#silence.heard(owed === 0);
  }

  /** @throws {ProtocolError} */
  #take(frame: Buffer): void {
    const reader = new JuteReader(frame);
    const { xid, err } = ReplyHeader.read(reader);
    if (xid === SpecialXid.notification) {
      this.options.listener.onEvent(WatcherEvent.read(reader));
    } else if (xid === SpecialXid.ping) {
      this.#pings = Math.max(0, this.#pings - 1);
    } else {
      const pending = this.#pending.take(xid) ?? this.#urgent.take(xid);
      if (!pending) throw new ProtocolError('BAD_VALUE', `an answer to ${xid}, which is not due`);
      this.#settle(pending, err, reader);
    }
  }

  #settle(pending: Pending, err: number, reader: JuteReader): void {
    const { type, request, path } = pending;
    if (err !== ErrorCode.ok) {
      pending.reject(new RequestError(err, request, path, true));
      if (err === ErrorCode.sessionExpired) this.#end('session-expired', err);
      // It is answered out of order: what was asked before may have been done.
      if (err === ErrorCode.authFailed) this.#end('auth-failed', ErrorCode.connectionLoss);
      return;
    }
    try {
      pending.resolve(replyCodec(type).read(reader));
    } catch (error) {
      const code = ErrorCode.marshallingError;
      pending.reject(new RequestError(code, request, path, true, { cause: error }));
      throw error;
    }
  }

  #end(end: ChannelEnd, code: number, cause?: unknown): void {
    if (this.#status === 'ended') return;
    this.#status = 'ended';
    this.#fail(code, cause);
    queueMicrotask(() => {
      if (!this.#isGivenUp) this.options.listener.onEnd(end, cause);
    });
  }

  #fail(code: number, cause?: unknown): void {
    clearInterval(this.#keepAlive);
    this.#silence.stop();
    this.socket.destroy();
    const options = cause === undefined ? undefined : { cause };
    for (const pending of [...this.#pending.takeAll(), ...this.#urgent.takeAll()]) {
      pending.reject(new RequestError(code, pending.request, pending.path, true, options));
    }
  }
}
