import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { decode, FrameReader, OpCode, ReplyHeader, RequestHeader } from 'zk-protocol';

export interface Answer {
  /** The type of the request; `connect` for the handshake. */
  readonly type: number | 'connect';
  readonly xid: number;
  /** The frame without its length. */
  readonly bytes: Buffer;
}

/** Returns what to send instead: frames without lengths, raw bytes, or `close`. */
export type Lie = (answer: Answer) => readonly Buffer[] | { readonly raw: Buffer } | 'close';

/** A proxy to an honest server that can falsify its answers. */
export class LyingServer implements AsyncDisposable {
  /** Undefined while the server is honest. */
  lie: Lie | undefined;
  /** Whether connections stay open, in silence, after the honest server has closed them. */
  keepsOpen = false;
  readonly #sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly honestPort: number,
  ) {
    server.on('connection', (client) => this.#relay(client));
  }

  static async start(honestPort: number): Promise<LyingServer> {
    const server = createServer({ noDelay: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new LyingServer(server, honestPort);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get connectString(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Sends raw bytes to all connected clients. */
  send(bytes: Buffer): void {
    for (const socket of this.#sockets) socket.write(bytes);
  }

  /** Closes all connections. */
  hangUp(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.hangUp();
    this.server.close();
    await once(this.server, 'close');
  }

  #relay(client: Socket): void {
    const honest = connect(this.honestPort, '127.0.0.1');
    const [requests, answers] = [new FrameReader(), new FrameReader(0x7fff_ffff)];
    const types = new Map<number, number>();
    let [hasAsked, hasAnswered] = [false, false];
    this.#sockets.add(client);
    const end = (): void => {
      client.destroy();
      honest.destroy();
      this.#sockets.delete(client);
    };
    const honestEnd = (): void => (this.keepsOpen ? undefined : end());
    client.on('error', end).on('close', end);
    honest.on('error', honestEnd).on('close', honestEnd);
    client.on('data', (piece) => {
      // The client asks whether the server speaks TLS.
      if (piece[0] === TLS_HANDSHAKE) return end();
      honest.write(piece);
      // The client asks why the server does not serve.
      if (piece.equals(FOUR_LETTER_WORD)) {
        honest.removeAllListeners('data').pipe(client);
        return;
      }
      for (const bytes of requests.read(piece)) {
        const { xid, type } = decode(RequestHeader, bytes);
        if (hasAsked) types.set(xid, type);
        hasAsked = true;
      }
    });
    honest.on('data', (piece) => {
      for (const bytes of answers.read(piece)) {
        const xid = hasAnswered ? decode(ReplyHeader, bytes).xid : 0;
        const type = hasAnswered ? (types.get(xid) ?? OpCode.error) : 'connect';
        hasAnswered = true;
        const told = this.lie ? this.lie({ type, xid, bytes }) : [bytes];
        if (told === 'close') return end();
        if ('raw' in told) client.write(told.raw);
        else for (const frame of told) client.write(framed(frame));
      }
    });
  }
}

/** Sent after an unanswered handshake: libs/zk-client/src/connection/channel/why-not-serving.ts. */
const FOUR_LETTER_WORD = Buffer.from('srvr');

/** The first byte of a TLS connection. */
const TLS_HANDSHAKE = 0x16;

export function framed(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
