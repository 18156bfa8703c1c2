import {
  ConnectRequest,
  ConnectResponse,
  decode,
  encodeRequest,
  ErrorCode,
  frame,
  FrameReader,
  OpCode,
  type RequestBody,
  type RequestType,
} from 'zk-protocol';
import type { SimulatedSocket } from '../../network/simulated-socket.js';
import type { SimulatedProcess } from '../../world/simulated-process.js';
import type { Scene } from './scene.js';

export interface ClientOptions {
  readonly timeoutMs?: number;
  /** To attach to a session that exists. */
  readonly session?: { readonly sessionId: bigint; readonly passwd: Buffer | null };
  readonly lastZxidSeen?: bigint;
}

export interface Reply {
  readonly xid: number;
  readonly zxid: bigint;
  readonly err: ErrorCode;
  readonly body: Buffer;
  readonly at: number;
}

/** A client that speaks ZooKeeper's protocol, without the library's code. */
export class Client {
  welcome: ConnectResponse | undefined;
  isClosed = false;
  closedAt = 0;
  readonly replies: Reply[] = [];
  readonly #frames = new FrameReader();
  #socket!: SimulatedSocket;
  #xid = 0;

  constructor(
    private readonly scene: Scene,
    readonly process: SimulatedProcess,
    host: string,
    options: ClientOptions,
  ) {
    process.run(() => {
      const socket = (this.#socket = scene.network.connect(process, { host, port: 2181 }));
      socket.on('data', (bytes: Buffer) => {
        for (const one of this.#frames.read(bytes)) this.#receive(one);
      });
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.isClosed = true;
        this.closedAt = scene.world.now;
      });
      socket.on('connect', () => this.#greet(options));
    });
  }

  get session(): { readonly sessionId: bigint; readonly passwd: Buffer | null } {
    if (!this.welcome) throw new Error('there is no session');
    return this.welcome;
  }

  get lastZxid(): bigint {
    return this.replies.at(-1)?.zxid ?? 0n;
  }

  send<T extends RequestType>(type: T, body: RequestBody<T>): number {
    const xid = ++this.#xid;
    this.process.run(() => this.#socket.write(encodeRequest(xid, type, body)));
    return xid;
  }

  /** Sends pings until the connection is lost. */
  pingEvery(ms: number): this {
    this.process.run(() => {
      const timer = this.process.addTimer(
        () => (this.isClosed ? timer.close() : this.#ping()),
        ms,
        [],
        true,
      );
    });
    return this;
  }

  #ping(): void {
    this.#socket.write(encodeRequest(-2, OpCode.ping as never, undefined as never));
  }

  reply(xid: number): Reply {
    this.scene.until(`the answer to ${xid}`, () => this.replies.some((one) => one.xid === xid));
    return this.replies.find((one) => one.xid === xid)!;
  }

  create(path: string, flags = 0): number {
    return this.send(OpCode.create, { path, data: Buffer.from(path), acl: OPEN, flags });
  }

  exists(path: string, watch = false): boolean {
    const xid = this.send(OpCode.exists, { path, watch });
    return this.reply(xid).err === ErrorCode.ok;
  }

  #greet({ timeoutMs = 10_000, session, lastZxidSeen = 0n }: ClientOptions): void {
    const request: ConnectRequest = {
      protocolVersion: 0,
      lastZxidSeen,
      timeOut: timeoutMs,
      sessionId: session?.sessionId ?? 0n,
      passwd: session?.passwd ?? Buffer.alloc(16),
      readOnly: false,
    };
    this.#socket.write(frame((writer) => ConnectRequest.write(writer, request)));
  }

  #receive(bytes: Buffer): void {
    if (!this.welcome) {
      this.welcome = decode(ConnectResponse, bytes);
      return;
    }
    const xid = bytes.readInt32BE(0);
    if (xid === -1) return;
    const zxid = bytes.readBigInt64BE(4);
    const err = bytes.readInt32BE(12) as ErrorCode;
    const { now } = this.scene.world;
    this.replies.push({ xid, zxid, err, body: Buffer.from(bytes.subarray(16)), at: now });
  }
}

const OPEN = [{ perms: 31, id: { scheme: 'world', id: 'anyone' } }];
