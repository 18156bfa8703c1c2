import type { Network } from '../../network/network.js';
import { Pipe } from '../../network/pipe.js';
import type { Pollable, SimulatedProcess } from '../../world/simulated-process.js';
import type { SimulatedTimer } from '../../world/timers.js';
import type { Message } from './messages.js';

interface Opened {
  readonly kind: 'opened';
}

interface Closed {
  readonly kind: 'closed';
}

type Arrival = Message | Opened | Closed;

const OPENED: Arrival = { kind: 'opened' };
const CLOSED: Arrival = { kind: 'closed' };

/** The side of a server that accepts connections from other servers. */
export interface Listener {
  readonly process: SimulatedProcess;
  readonly onLink: (link: Link) => void;
}

/** One end of a connection between two servers. It is closed after too long a silence. */
export class Link implements Pollable {
  onMessage: (message: Message) => void = () => undefined;
  onClosed: () => void = () => undefined;
  #out: Pipe<Arrival> | undefined;
  readonly #arrived: Arrival[] = [];
  /** The message that is being handled. */
  #current: Arrival = OPENED;
  #isClosed = false;
  #heardAt: number;
  #limitMs = Infinity;
  #timer: SimulatedTimer | undefined;

  constructor(readonly process: SimulatedProcess) {
    this.#heardAt = process.monotonic();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  send(message: Message): void {
    if (!this.#isClosed) this.#out?.send(message);
  }

  /** Closes the connection. The other end is notified; this end is not. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#timer?.close();
    this.#arrived.length = 0;
    this.#out?.send(CLOSED);
  }

  /**
   * Closes the connection when nothing has arrived for this long, as a socket's read timeout does.
   */
  closeWhenSilentFor(ms: number): void {
    this.#limitMs = ms;
    this.#heardAt = this.process.monotonic();
    this.#timer?.close();
    this.#watch(ms);
  }

  poll(run: (callback: () => void) => void): boolean {
    const first = this.#arrived.shift();
    if (!first || this.#isClosed) return false;
    this.#heardAt = this.process.monotonic();
    this.#current = first;
    run(this.#handle);
    return this.#arrived.length > 0;
  }

  readonly #handle = (): void => {
    const arrival = this.#current;
    if (arrival.kind === 'closed') this.#lose();
    else if (arrival.kind !== 'opened') this.onMessage(arrival);
  };

  #lose(): void {
    if (this.#isClosed) return;
    this.close();
    this.onClosed();
  }

  #watch(ms: number): void {
    const { process } = this;
    const check = (): void => void process.addImmediate(() => this.#check());
    this.#timer = process.addTimer(check, ms);
  }

  /** Checks after the poll phase: messages that arrived during a stall count first. */
  #check(): void {
    if (this.#isClosed) return;
    const restMs = this.#heardAt + this.#limitMs - this.process.monotonic();
    if (restMs <= 0) this.#lose();
    else this.#watch(Math.ceil(restMs));
  }

  #arrive(arrival: Arrival): void {
    if (this.#isClosed || this.process.isDead) {
      if (arrival !== CLOSED) this.#out?.send(CLOSED);
      return;
    }
    this.#arrived.push(arrival);
    this.process.tell(this);
  }

  /** The process was killed, so the kernel closes the connection. */
  #abandon(): void {
    this.#isClosed = true;
    this.#out?.send(CLOSED);
  }

  /** @param find finds the listener when the connection arrives */
  static open(
    network: Network,
    process: SimulatedProcess,
    host: string,
    find: () => Listener | undefined,
  ): Link {
    const near = new Link(process);
    let far: Link | undefined;
    const back = new Pipe<Arrival>(network, host, process.host, (one) => near.#arrive(one));
    near.#out = new Pipe<Arrival>(network, process.host, host, (one) => {
      if (one !== OPENED) {
        if (far) far.#arrive(one);
        return;
      }
      const listener = find();
      if (!listener || listener.process.isDead) return back.send(CLOSED);
      const end = (far = new Link(listener.process));
      end.#out = back;
      listener.process.onExit(() => end.#abandon());
      // The kernels complete the handshake, even while the process is stopped.
      listener.process.post(() => {
        if (find() === listener) listener.onLink(end);
        else end.close();
      });
    });
    process.onExit(() => near.#abandon());
    near.#out.send(OPENED);
    return near;
  }
}
