import type { Socket } from 'node:net';

/** With more than this waiting to be sent, the connection executes no further request. */
const FULL_BYTES = 0x10_0000;
/** With more than this waiting to be sent, the connection is closed. */
const OVERFULL_BYTES = 64 * FULL_BYTES;

export interface OutboxOptions {
  readonly delayMs: () => number;
  /** Called when bytes were sent and there is room again. */
  readonly onRoom: () => void;
}

/** The longest delay that a timer of Node takes. */
const MAX_TIMER_MS = 0x7fff_ffff;

/** Sends the bytes of a connection in order, with a delay if one is set. */
export class Outbox {
  #waiting: { readonly bytes: Buffer; readonly dueAt: number }[] = [];
  #waitingBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #isScheduled = false;
  #isHeld = false;
  #closing = false;

  constructor(
    private readonly socket: Socket,
    private readonly options: OutboxOptions,
  ) {
    socket.on('drain', () => this.#offerRoom());
  }

  /** Whether the client should read before it asks for more. */
  get isFull(): boolean {
    return this.#backlog > FULL_BYTES;
  }

  /** Whether more is waiting than the client will ever read. */
  get isOverfull(): boolean {
    return this.#backlog > OVERFULL_BYTES;
  }

  get #backlog(): number {
    return this.#waitingBytes + this.socket.writableLength;
  }

  send(bytes: Buffer): void {
    if (this.#closing) return;
    this.#waiting.push({ bytes, dueAt: performance.now() + this.options.delayMs() });
    this.#waitingBytes += bytes.length;
    this.#schedule();
  }

  /** Ends the connection once everything is sent. */
  close(): void {
    this.#closing = true;
    this.#schedule();
  }

  /** Keeps everything back until {@link release}. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    this.#schedule();
  }

  /** Nothing more is sent. */
  discard(): void {
    this.#closing = true;
    this.#waiting = [];
    this.#waitingBytes = 0;
    clearTimeout(this.#timer);
  }

  /** One write for all bytes of one turn of the event loop. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    process.nextTick(() => this.#flush());
  }

  #flush(): void {
    this.#isScheduled = false;
    clearTimeout(this.#timer);
    if (this.#isHeld) return;
    const now = performance.now();
    // In order: if the delay has shrunk, later bytes still wait for earlier ones.
    const firstEarly = this.#waiting.findIndex(({ dueAt }) => dueAt > now);
    const due = this.#waiting.splice(0, firstEarly === -1 ? this.#waiting.length : firstEarly);
    if (due.length > 0) this.#write(Buffer.concat(due.map(({ bytes }) => bytes)));
    // The socket may have drained while everything was held back.
    else this.#offerRoom();
    const [next] = this.#waiting;
    if (next)
      this.#timer = setTimeout(
        () => this.#flush(),
        Math.min(Math.ceil(next.dueAt - now), MAX_TIMER_MS),
      );
    else if (this.#closing) this.socket.end();
  }

  #write(bytes: Buffer): void {
    this.#waitingBytes -= bytes.length;
    if (this.socket.write(bytes)) this.#offerRoom();
  }

  #offerRoom(): void {
    if (!this.isFull) this.options.onRoom();
  }
}
