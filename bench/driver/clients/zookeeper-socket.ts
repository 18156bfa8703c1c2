import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import {
  ConnectRequest,
  ConnectResponse,
  decode,
  encodeRequest,
  frame,
  FrameReader,
  JuteReader,
  OpCode,
  type ReplyBody,
  replyCodec,
  ReplyHeader,
  type RequestBody,
  type RequestType,
  SpecialXid,
} from 'zk-protocol';
import { SESSION_TIMEOUT_MS } from './session-timeout.js';

interface Reply<T extends RequestType> {
  readonly err: number;
  /** Only where there is no error. */
  readonly body: ReplyBody<T> | undefined;
}

interface Pending {
  readonly type: RequestType;
  resolve(reply: { err: number; body: unknown }): void;
}

/**
 * A bare connection to a ZooKeeper server: requests are pipelined, those of one turn of the event
 * loop leave in one write, and answers come in order. Nothing else; a lost connection is the end.
 */
export class ZooKeeperSocket {
  #pending: Pending[] = [];
  /** The first of `#pending` that is not answered. */
  #next = 0;
  #isCorked = false;
  #xid = 0;
  readonly #pings: NodeJS.Timeout;

  private constructor(private readonly socket: Socket) {
    this.#pings = setInterval(() => {
      socket.write(encodeRequest(SpecialXid.ping, OpCode.ping, undefined));
    }, SESSION_TIMEOUT_MS / 3);
  }

  /** @param servers a connect string, the first of which is taken */
  static async open(servers: string): Promise<ZooKeeperSocket> {
    const [host, port] = (servers.split(',')[0] ?? '').split(':');
    const socket = connect({ host: host ?? '', port: Number(port), noDelay: true });
    await once(socket, 'connect');
    const client = new ZooKeeperSocket(socket);
    const greeted = client.#listen();
    socket.write(
      frame((writer) => {
        ConnectRequest.write(writer, {
          ...{ protocolVersion: 0, lastZxidSeen: 0n, timeOut: SESSION_TIMEOUT_MS },
          ...{ sessionId: 0n, passwd: Buffer.alloc(16), readOnly: false },
        });
      }),
    );
    await greeted;
    return client;
  }

  ask<T extends RequestType>(type: T, body: RequestBody<T>): Promise<Reply<T>> {
    this.#cork();
    this.socket.write(encodeRequest(++this.#xid, type, body));
    return new Promise((resolve) => {
      this.#pending.push({ type, resolve: resolve as Pending['resolve'] });
    });
  }

  async close(): Promise<void> {
    clearInterval(this.#pings);
    await this.ask(OpCode.closeSession, undefined);
    this.socket.destroy();
  }

  #cork(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    this.socket.cork();
    setImmediate(() => {
      this.#isCorked = false;
      this.socket.uncork();
    });
  }

  /** Resolves with the session. */
  #listen(): Promise<void> {
    const frames = new FrameReader(0x7fff_ffff);
    let isGreeted = false;
    return new Promise((resolve) => {
      this.socket.on('data', (piece) => {
        for (const bytes of frames.read(piece)) {
          if (isGreeted) this.#take(bytes);
          else if (decode(ConnectResponse, bytes).sessionId !== 0n) resolve();
          isGreeted = true;
        }
      });
    });
  }

  #take(bytes: Buffer): void {
    const reader = new JuteReader(bytes);
    const { xid, err } = ReplyHeader.read(reader);
    // A ping's, or a watch event.
    if (xid < 0) return;
    const pending = this.#pending[this.#next++];
    if (!pending) throw new Error(`an answer to ${xid}, which was not asked`);
    if (this.#next === this.#pending.length) {
      this.#pending = [];
      this.#next = 0;
    }
    const isBodied = err === 0 && reader.remaining > 0;
    pending.resolve({ err, body: isBodied ? replyCodec(pending.type).read(reader) : undefined });
  }
}
