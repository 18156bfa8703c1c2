import { setTimeout as sleep } from 'node:timers/promises';
import {
  ConnectRequest,
  ConnectResponse,
  decode,
  encodeRequest,
  ErrorCode,
  frame,
  FrameReader,
  JuteReader,
  OpCode,
  replyCodec,
  type ReplyBody,
  type RequestBody,
  type RequestType,
  WatcherEvent,
} from 'zk-protocol';
import type { SimulatedSocket } from '../../network/simulated-socket.js';
import type { Scene } from '../scene.js';
import type { SimulatedProcess } from '../../world/simulated-process.js';

/** The connection is lost, and with it the session: these scripts never come back to one. */
export class SessionGoneError extends Error {}

export class RefusedError extends Error {
  constructor(readonly err: ErrorCode) {
    super(`error ${err}`);
  }
}

interface Waiter {
  readonly type: RequestType;
  readonly resolve: (body: never) => void;
  readonly reject: (error: Error) => void;
}

const PING = -2;
const EVENT = -1;

/** A session on one connection, by plain frames, as another library would send them. */
export class WireSession {
  isOver = false;
  readonly #frames = new FrameReader();
  readonly #waiters = new Map<number, Waiter>();
  readonly #watchers = new Map<string, () => void>();
  readonly #socket: SimulatedSocket;
  #welcomed: (() => void) | undefined;
  #heardAt = performance.now();
  #xid = 0;

  private constructor(
    { network }: Scene,
    process: SimulatedProcess,
    host: string,
    private readonly timeoutMs: number,
  ) {
    const socket = (this.#socket = network.connect(process, { host, port: 2181 }));
    socket.on('data', (bytes: Buffer) => {
      for (const one of this.#frames.read(bytes)) this.#receive(one);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => this.abandon());
    socket.on('connect', () => this.#greet());
  }

  /** @throws {SessionGoneError} */
  static async open(
    scene: Scene,
    process: SimulatedProcess,
    host: string,
    timeoutMs: number,
  ): Promise<WireSession> {
    const session = new WireSession(scene, process, host, timeoutMs);
    await Promise.race([
      new Promise<void>((resolve) => (session.#welcomed = resolve)),
      sleep(timeoutMs),
    ]);
    if (session.#welcomed) session.abandon();
    if (session.isOver) throw new SessionGoneError();
    void session.#ping();
    return session;
  }

  /** @throws {RefusedError} {@link SessionGoneError} */
  request<T extends RequestType>(type: T, body: RequestBody<T>): Promise<ReplyBody<T>> {
    if (this.isOver) return Promise.reject(new SessionGoneError());
    const xid = ++this.#xid;
    return new Promise((resolve, reject) => {
      this.#waiters.set(xid, { type, resolve, reject });
      this.#socket.write(encodeRequest(xid, type, body));
    });
  }

  /** Resolves at the next event of a path, after this time, or when the session is over. */
  async event(path: string, withinMs: number): Promise<void> {
    const timer = new AbortController();
    const event = new Promise<void>((resolve) => this.#watchers.set(path, resolve));
    const late = sleep(withinMs, undefined, { signal: timer.signal }).catch(() => undefined);
    await Promise.race([event, late]);
    this.#watchers.delete(path);
    timer.abort();
  }

  /** Waits for the events of a path no longer. */
  forget(path: string): void {
    this.#watchers.get(path)?.();
  }

  /** As a process that dies: its ephemeral nodes stay until its session expires. */
  abandon(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#socket.destroy();
    this.#welcomed?.();
    for (const { reject } of this.#waiters.values()) reject(new SessionGoneError());
    for (const resolve of this.#watchers.values()) resolve();
  }

  async #ping(): Promise<void> {
    for (;;) {
      await sleep(this.timeoutMs / 3);
      if (this.isOver) return;
      if (performance.now() - this.#heardAt > (this.timeoutMs * 2) / 3) {
        this.abandon();
        return;
      }
      this.#socket.write(encodeRequest(PING, OpCode.ping as never, undefined as never));
    }
  }

  #greet(): void {
    const request: ConnectRequest = {
      ...{ protocolVersion: 0, lastZxidSeen: 0n, timeOut: this.timeoutMs, sessionId: 0n },
      ...{ passwd: Buffer.alloc(16), readOnly: false },
    };
    this.#socket.write(frame((writer) => ConnectRequest.write(writer, request)));
  }

  #receive(bytes: Buffer): void {
    this.#heardAt = performance.now();
    if (this.#welcomed) {
      if (decode(ConnectResponse, bytes).timeOut <= 0) this.abandon();
      this.#welcomed();
      this.#welcomed = undefined;
      return;
    }
    const xid = bytes.readInt32BE(0);
    if (xid === EVENT) {
      this.#watchers.get(WatcherEvent.read(new JuteReader(bytes.subarray(16))).path)?.();
      return;
    }
    const waiter = this.#waiters.get(xid);
    this.#waiters.delete(xid);
    if (!waiter) return;
    const err = bytes.readInt32BE(12) as ErrorCode;
    if (err !== ErrorCode.ok) waiter.reject(new RefusedError(err));
    else waiter.resolve(replyCodec(waiter.type).read(new JuteReader(bytes.subarray(16))) as never);
  }
}
