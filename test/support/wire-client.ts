import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import {
  ConnectRequest,
  ConnectResponse,
  decode,
  encodeRequest,
  ErrorCode,
  type ErrorName,
  errorName,
  EventType,
  frame,
  FrameReader,
  isRequestType,
  JuteReader,
  KeeperState,
  OpCode,
  replyCodec,
  type ReplyBody,
  ReplyHeader,
  RequestHeader,
  type RequestBody,
  type RequestType,
  SpecialXid,
  WatcherEvent,
} from 'zk-protocol';

export type EventName = keyof typeof EventType;

/** A watch event, decoded. */
export interface WireEvent {
  readonly kind: 'event';
  readonly type: EventName;
  /** The state of the connection, a number of `KeeperState`. */
  readonly state: number;
  readonly path: string;
}

/** The answer to a request. */
export interface WireReply<T extends RequestType = RequestType> {
  readonly kind: 'reply';
  readonly xid: number;
  readonly zxid: bigint;
  readonly err: ErrorName;
  /** Undefined after an error. */
  readonly body: ReplyBody<T> | undefined;
  /** The number of bytes after the decoded body. */
  readonly surplus: number;
}

export type Received = WireEvent | WireReply;

/** The connection has ended without an answer. */
export class WireClosed extends Error {
  override readonly name = 'WireClosed';
}

/** As much of a socket as a client needs. */
export interface ByteSocket {
  on(event: 'data', listener: (piece: Buffer) => void): unknown;
  on(event: 'error' | 'close', listener: () => void): unknown;
  write(bytes: Buffer): unknown;
  destroy(): unknown;
}

interface Pending {
  readonly xid: number;
  readonly type: number;
  resolve(reply: WireReply): void;
  reject(error: Error): void;
}

const XIDS: Partial<Record<number, number>> = {
  [OpCode.ping]: SpecialXid.ping,
  [OpCode.auth]: SpecialXid.auth,
  [OpCode.setWatches]: SpecialXid.setWatches,
  [OpCode.setWatches2]: SpecialXid.setWatches,
};

/**
 * A raw connection to a ZooKeeper server: sends the given frames, valid or not, and records
 * everything that comes back, in order. It has no heartbeats and no reconnects, because tests of
 * servers decide what is sent. It shares no code with zk-client; its frames are those of
 * zk-protocol, which `libs/zk-protocol/src/golden` checks against recordings of other clients.
 */
export class WireClient<S extends ByteSocket = Socket> {
  readonly received: Received[] = [];
  /** The answer to the handshake, `undefined` until it comes. */
  greeting: ConnectResponse | undefined;
  /** Resolves when the connection has ended, by either side. */
  readonly ended: Promise<void>;
  readonly #pending: Pending[] = [];
  #greeted: ((greeting: ConnectResponse | undefined) => void) | undefined;
  #lastXid = 0;
  #isEnded = false;

  constructor(readonly socket: S) {
    const frames = new FrameReader(0x7fff_ffff);
    socket.on('data', (piece) => {
      for (const bytes of frames.read(piece)) this.#take(bytes);
    });
    socket.on('error', () => undefined);
    this.ended = new Promise((resolve) => {
      socket.on('close', () => {
        this.#isEnded = true;
        this.#greeted?.(undefined);
        for (const { reject } of this.#pending.splice(0)) reject(new WireClosed('closed'));
        resolve();
      });
    });
  }

  /** Connects without a handshake. */
  static async open(port: number): Promise<WireClient> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return new WireClient(socket);
  }

  /** Connects and shakes hands; the `greeting` is `undefined` if the server hung up instead. */
  static async connect(port: number, request: Partial<ConnectRequest> = {}): Promise<WireClient> {
    const client = await WireClient.open(port);
    await client.greet(request);
    return client;
  }

  /** Connects again with the session of another connection, which ends that connection. */
  static attach(
    port: number,
    { greeting }: Pick<WireClient, 'greeting'>,
    request: Partial<ConnectRequest> = {},
  ): Promise<WireClient> {
    const { sessionId, passwd } = greeting!;
    return WireClient.connect(port, { sessionId, passwd, ...request });
  }

  greet(request: Partial<ConnectRequest>): Promise<ConnectResponse | undefined> {
    const whole: ConnectRequest = {
      protocolVersion: 0,
      lastZxidSeen: 0n,
      timeOut: 10_000,
      sessionId: 0n,
      passwd: Buffer.alloc(16),
      readOnly: false,
      ...request,
    };
    const greeting = new Promise<ConnectResponse | undefined>((resolve) => {
      this.#greeted = resolve;
    });
    this.write(frame((writer) => ConnectRequest.write(writer, whole)));
    return greeting;
  }

  get sessionId(): bigint {
    return this.greeting!.sessionId;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  get events(): WireEvent[] {
    return this.received.filter((one): one is WireEvent => one.kind === 'event');
  }

  /** Sends a request; requests that are not awaited are under way together. */
  ask<T extends RequestType>(
    type: T,
    body: RequestBody<T>,
    xid = this.#nextXid(type),
  ): Promise<WireReply<T>> {
    const reply = this.#expect(xid, type);
    this.write(encodeRequest(xid, type, body));
    return reply;
  }

  /** Sends any bytes under any type of request. */
  askRaw(type: number, body: Buffer): Promise<WireReply> {
    const xid = this.#nextXid(type);
    const reply = this.#expect(xid, type);
    const header = frame((writer) => RequestHeader.write(writer, { xid, type }));
    header.writeInt32BE(header.length - 4 + body.length);
    this.write(Buffer.concat([header, body]));
    return reply;
  }

  /** Sends raw bytes. */
  write(bytes: Buffer): void {
    if (!this.#isEnded) this.socket.write(bytes);
  }

  /** Resolves when everything has come that the server had to send by now. */
  async settle(): Promise<void> {
    await this.ask(OpCode.ping, undefined);
  }

  /** Ends the session and the connection. */
  async close(): Promise<void> {
    if (!this.#isEnded && this.greeting) {
      await this.ask(OpCode.closeSession, undefined).catch(() => undefined);
    }
    this.drop();
    await this.ended;
  }

  /** Breaks the connection without notice; the session lives on. */
  drop(): void {
    this.socket.destroy();
  }

  #nextXid(type: number): number {
    return XIDS[type] ?? ++this.#lastXid;
  }

  #expect(xid: number, type: number): Promise<WireReply> {
    if (this.#isEnded) return Promise.reject(new WireClosed('closed before it was asked'));
    return new Promise((resolve, reject) => {
      this.#pending.push({ xid, type, resolve, reject });
    });
  }

  #take(bytes: Buffer): void {
    if (!this.greeting) {
      this.greeting = decode(ConnectResponse, bytes);
      this.#greeted?.(this.greeting);
      return;
    }
    const reader = new JuteReader(bytes);
    const { xid, zxid, err } = ReplyHeader.read(reader);
    if (xid === (SpecialXid.notification as number)) {
      const { type, ...where } = WatcherEvent.read(reader);
      this.received.push({ kind: 'event', type: eventName(type), ...where });
      return;
    }
    const index = this.#pending.findIndex((pending) => pending.xid === xid);
    const [pending] = this.#pending.splice(index, 1);
    if (index === -1 || !pending) throw new Error(`an answer to ${xid}, which was not asked`);
    const { type } = pending;
    const isBodied = err === ErrorCode.ok && reader.remaining > 0 && isRequestType(type);
    const body = isBodied ? replyCodec(type).read(reader) : undefined;
    const surplus = reader.remaining;
    const reply: WireReply = { kind: 'reply', xid, zxid, err: errorName(err)!, body, surplus };
    this.received.push(reply);
    pending.resolve(reply);
  }
}

/** A watch event as a connected client gets it. */
export function event(type: EventName, path: string): WireEvent {
  return { kind: 'event', type, state: KeeperState.syncConnected, path };
}

function eventName(type: number): EventName {
  const entry = Object.entries(EventType).find(([, code]) => code === type);
  if (!entry) throw new Error(`a watch event of the type ${type}`);
  return entry[0] as EventName;
}
