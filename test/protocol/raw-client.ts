import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import {
  ConnectRequest,
  ConnectResponse,
  decode,
  encodeRequest,
  ErrorCode,
  errorName,
  frame,
  FrameReader,
  JuteReader,
  OpCode,
  opName,
  replyCodec,
  ReplyHeader,
  RequestHeader,
  SpecialXid,
  WatcherEvent,
  type ReplyBody,
  type RequestBody,
  type RequestType,
} from 'zk-protocol';

export interface Reply<T extends RequestType> {
  readonly zxid: bigint;
  /** The name of the error, `ok` where there is none. */
  readonly err: string;
  /** `undefined` where nothing followed the header. */
  readonly body: ReplyBody<T> | undefined;
  /** How many bytes came after that. */
  readonly surplus: number;
}

/** What the server did about a request that may never be answered. */
export type Fate = 'no answer' | 'closed' | Reply<RequestType>;

interface Pending {
  readonly type: number;
  settle(reply: Fate): void;
}

export interface RawConnectOptions {
  readonly sessionId?: bigint;
  readonly passwd?: Buffer | null;
  readonly timeOut?: number;
  readonly lastZxidSeen?: bigint;
  readonly readOnly?: boolean | undefined;
}

/** A client without manners: it sends what it is told to, and says what came back. */
export class RawClient implements Disposable {
  readonly events: WatcherEvent[] = [];
  readonly #pending = new Map<number, Pending>();
  #greeting: ((response: ConnectResponse | 'closed') => void) | undefined;
  #xid = 0;
  #isClosed = false;

  private constructor(private readonly socket: Socket) {
    const frames = new FrameReader();
    socket.on('data', (piece) => {
      for (const bytes of frames.read(piece)) this.#take(bytes);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#isClosed = true;
      this.#greeting?.('closed');
      for (const { settle } of this.#pending.values()) settle('closed');
      this.#pending.clear();
    });
  }

  /** Connects and shakes hands; `closed` when the server answered by closing the connection. */
  static async connect(
    port: number,
    options: RawConnectOptions = {},
  ): Promise<{ client: RawClient; session: ConnectResponse | 'closed' }> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    const client = new RawClient(socket);
    const session = new Promise<ConnectResponse | 'closed'>((resolve) => {
      client.#greeting = resolve;
    });
    const request: ConnectRequest = {
      protocolVersion: 0,
      lastZxidSeen: 0n,
      timeOut: 10_000,
      sessionId: 0n,
      passwd: Buffer.alloc(16),
      readOnly: false,
      ...options,
    };
    socket.write(frame((writer) => ConnectRequest.write(writer, request)));
    return { client, session: await session };
  }

  /** @throws {Error} when the connection ends without an answer */
  async ask<T extends RequestType>(
    type: T,
    body: RequestBody<T>,
    xid = ++this.#xid,
  ): Promise<Reply<T>> {
    const reply = await this.#send(xid, type, encodeRequest(xid, type, body));
    if (typeof reply === 'string') throw new Error(`${opName(type) ?? ''}: ${reply}`);
    return reply;
  }

  /** Sends any body under any type; requests are answered in order, so that a second one tells. */
  async fateOf(type: number, body: Buffer = Buffer.alloc(0)): Promise<Fate> {
    const xid = ++this.#xid;
    const bytes = frame((writer) => {
      RequestHeader.write(writer, { xid, type });
    });
    bytes.writeInt32BE(bytes.length - 4 + body.length);
    const reply = this.#send(xid, type, Buffer.concat([bytes, body]));
    const later = ++this.#xid;
    const probe = this.#send(
      later,
      OpCode.getChildren,
      encodeRequest(later, OpCode.getChildren, { path: '/', watch: false }),
    );
    await Promise.race([reply, probe]);
    if (this.#pending.has(xid) && (await probe) !== 'closed') return 'no answer';
    return reply;
  }

  /** Breaks the connection without a word; the session lives on. */
  drop(): void {
    this.socket.destroy();
  }

  async closed(): Promise<void> {
    if (!this.#isClosed) await once(this.socket, 'close');
  }

  [Symbol.dispose](): void {
    this.drop();
  }

  #send(xid: number, type: number, bytes: Buffer): Promise<Fate> {
    if (this.#isClosed) return Promise.resolve('closed');
    return new Promise((settle) => {
      this.#pending.set(xid, { type, settle });
      this.socket.write(bytes);
    });
  }

  #take(bytes: Buffer): void {
    if (this.#greeting) {
      this.#greeting(decode(ConnectResponse, bytes));
      this.#greeting = undefined;
      return;
    }
    const reader = new JuteReader(bytes);
    const { xid, zxid, err } = ReplyHeader.read(reader);
    if (xid === (SpecialXid.notification as number)) {
      this.events.push(WatcherEvent.read(reader));
      return;
    }
    const pending = this.#pending.get(xid);
    if (!pending) throw new Error(`a reply to ${String(xid)}, which was not asked`);
    this.#pending.delete(xid);
    const body =
      reader.remaining > 0 && err === ErrorCode.ok
        ? replyCodec(pending.type as RequestType).read(reader)
        : undefined;
    pending.settle({
      ...{ zxid, err: errorName(err) ?? String(err), body },
      surplus: reader.remaining,
    });
  }
}
