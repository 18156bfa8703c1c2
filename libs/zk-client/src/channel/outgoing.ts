import type { Socket } from 'node:net';
import { JuteWriter, RequestHeader, type RequestType } from 'zk-protocol';
import { nextTick, performance } from '../real-time.js';

/** Room for what one turn of the event loop has to say, before it has to grow. */
const ROOM_BYTES = 1_024;
const LENGTH_BYTES = 4;

/** What is sent: one write for all requests of one turn of the event loop. */
export class Outgoing {
  #writer: JuteWriter | undefined;
  #lastSentAt = performance.now();

  /** @param onSent something was given to the socket */
  constructor(
    private readonly socket: Socket,
    private readonly onSent: () => void,
  ) {}

  /** When something was last given to the socket. */
  get lastSentAt(): number {
    return this.#lastSentAt;
  }

  /**
   * @param writeBody writes what follows the header
   * @throws {ProtocolError} where the body cannot be written; nothing is sent of it then
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
