import type { Socket } from 'node:net';
import { JuteWriter, RequestHeader, type RequestType } from 'zk-protocol';
import { nextTick, performance } from '../../real-time.js';

/** Room for the requests of one turn of the event loop, before the buffer has to grow. */
const ROOM_BYTES = 1_024;
const LENGTH_BYTES = 4;

/** Sends all requests of one turn of the event loop in one write. */
export class Outgoing {
  #writer: JuteWriter | undefined;
  #lastSentAt = performance.now();

  /** @param onSent called when bytes were given to the socket */
  constructor(
    private readonly socket: Socket,
    private readonly onSent: () => void,
  ) {}

  /** When bytes were last given to the socket. */
  get lastSentAt(): number {
    return this.#lastSentAt;
  }

  /**
   * @param writeBody writes what follows the header
   * @throws {ProtocolError} if the body cannot be encoded; none of it is sent then
   */
  request(xid: number, type: RequestType, writeBody: (writer: JuteWriter) => void): void {
    const writer = this.#open();
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
    const writer = this.#writer;
    this.#writer = undefined;
    if (!writer || writer.length === 0 || this.socket.destroyed) return;
    this.#lastSentAt = performance.now();
    this.socket.write(writer.finish());
    this.onSent();
  }

  #open(): JuteWriter {
    if (!this.#writer) {
      this.#writer = new JuteWriter(ROOM_BYTES);
      nextTick(() => this.#flush());
    }
    return this.#writer;
  }
}
