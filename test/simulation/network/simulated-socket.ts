import { Buffer } from 'node:buffer';
import { EventEmitter } from 'node:events';
import type { Pollable, SimulatedProcess } from '../world/simulated-process.js';
import type { ConnectOptions, Network } from './network.js';
import { Pipe } from './pipe.js';

/** An event that reaches a socket's kernel. */
type Arrival =
  | { readonly kind: 'connected' | 'end' | 'reset' | 'refused' }
  | { readonly kind: 'bytes'; readonly bytes: Buffer };

type Way = Pick<Pipe<Arrival>, 'send' | 'lose' | 'hold'>;

/** The maximum number of bytes that Node reads at once. */
const MOST_BYTES = 65_536;

/** The subset of `net.Socket` that is used here. Bytes travel through the network in order. */
export class SimulatedSocket extends EventEmitter implements Pollable {
  destroyed = false;
  readonly writableLength = 0;
  remoteAddress: string | undefined;
  remotePort: number | undefined;
  bytesRead = 0;
  /** The direction to the other end, once connected. */
  out: Way | undefined;
  peer: SimulatedSocket | undefined;
  /** Events that the kernel has received but the process has not. */
  readonly #arrived: Arrival[] = [];
  /** Bytes that were read and then put back. */
  readonly #putBack: Buffer[] = [];
  #isFlowing = false;
  #hasEnded = false;
  #encoding: BufferEncoding | undefined;
  /** The number of bytes after which the connection is reset in the middle of a frame. */
  #cutAfter = Infinity;

  constructor(
    readonly process: SimulatedProcess,
    private readonly network: Network,
  ) {
    super();
    // Faults add listeners to every socket.
    this.setMaxListeners(0);
    network.add(this);
  }

  setNoDelay(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  setEncoding(encoding: BufferEncoding): this {
    this.#encoding = encoding;
    return this;
  }

  override on(event: string, listener: (...args: never[]) => void): this {
    super.on(event, listener as (...args: unknown[]) => void);
    if (event === 'data') this.resume();
    return this;
  }

  write(bytes: Buffer | string): boolean {
    if (this.destroyed || this.#hasEnded) return false;
    const sent = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
    this.network.world.hash(sent);
    this.emit('sent', sent.length);
    if (this.#cutAfter < sent.length) {
      this.out?.send({ kind: 'bytes', bytes: sent.subarray(0, this.#cutAfter) });
      this.#cutAfter = Infinity;
      this.reset();
    } else {
      this.#cutAfter -= sent.length;
      for (const bytes of this.network.segmentsOf(sent)) this.out?.send({ kind: 'bytes', bytes });
    }
    return true;
  }

  end(): this {
    if (this.destroyed || this.#hasEnded) return this;
    this.#hasEnded = true;
    this.out?.send({ kind: 'end' });
    process.nextTick(() => this.emit('finish'));
    return this;
  }

  destroy(error?: Error): this {
    if (this.destroyed) return this;
    this.destroyed = true;
    this.network.sockets.delete(this);
    this.out?.send({ kind: this.#arrived.length > 0 ? 'reset' : 'end' });
    this.#arrived.length = 0;
    process.nextTick(() => {
      if (error) this.emit('error', error);
      this.emit('close', error !== undefined);
    });
    return this;
  }

  pause(): this {
    this.#isFlowing = false;
    return this;
  }

  resume(): this {
    if (this.#isFlowing) return this;
    this.#isFlowing = true;
    process.nextTick(() => this.#flow());
    return this;
  }

  unshift(bytes: Buffer): void {
    this.#putBack.unshift(bytes);
  }

  /** Closes the connection with an error at both ends at once. */
  reset(): void {
    this.out?.lose();
    this.peer?.out?.lose();
    this.arrive({ kind: 'reset' });
    this.peer?.arrive({ kind: 'reset' });
  }

  /** Drops everything that is sent from now on, in one direction or both. Neither end notices. */
  goSilent(ways: 'both' | 'out' | 'in'): void {
    if (ways !== 'in') this.out?.lose();
    if (ways !== 'out') this.peer?.out?.lose();
  }

  /** Delays the bytes that it has sent, even if the socket is destroyed in the meantime. */
  hold(ms: number): void {
    this.out?.hold(ms);
  }

  /** Resets the connection after this many more bytes, in the middle of a frame. */
  cutAfter(bytes: number): void {
    this.#cutAfter = bytes;
  }

  /** Delivers an event to the socket's kernel. */
  arrive(arrival: Arrival): void {
    if (this.process.isDead || this.destroyed) {
      if (arrival.kind === 'bytes') this.out?.send({ kind: 'reset' });
      return;
    }
    this.#arrived.push(arrival);
    this.process.tell(this);
  }

  poll(run: (callback: () => void) => void): boolean {
    const first = this.#arrived[0];
    if (!first || this.destroyed) return false;
    if (!this.#isFlowing && (first.kind === 'bytes' || first.kind === 'end')) return false;
    if (first.kind === 'bytes') {
      const bytes = this.#read();
      run(() => this.#emitData(bytes));
    } else {
      this.#arrived.shift();
      run(() => this.#handle(first.kind));
    }
    return this.#arrived.length > 0;
  }

  /** Reads everything that has arrived as one buffer. */
  #read(): Buffer {
    const pieces: Buffer[] = [];
    let length = 0;
    for (let [first] = this.#arrived; first?.kind === 'bytes'; [first] = this.#arrived) {
      if (length > 0 && length + first.bytes.length > MOST_BYTES) break;
      this.#arrived.shift();
      pieces.push(first.bytes);
      length += first.bytes.length;
    }
    this.bytesRead += length;
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
  }

  #handle(kind: Exclude<Arrival['kind'], 'bytes'>): void {
    const address = `${this.remoteAddress ?? ''}:${String(this.remotePort)}`;
    switch (kind) {
      case 'connected':
        this.emit('connect');
        return;
      case 'end':
        this.emit('end');
        this.end();
        this.destroy();
        return;
      case 'refused':
        this.destroy(errorOf('ECONNREFUSED', `connect ECONNREFUSED ${address}`));
        return;
      case 'reset':
        this.destroy(errorOf('ECONNRESET', 'read ECONNRESET'));
    }
  }

  #flow(): void {
    while (this.#isFlowing && !this.destroyed && this.#putBack.length > 0) {
      this.#emitData(this.#putBack.shift()!);
    }
    if (this.#arrived.length > 0) this.process.tell(this);
  }

  #emitData(bytes: Buffer): void {
    this.emit('data', this.#encoding ? bytes.toString(this.#encoding) : bytes);
  }

  /** The process was killed, so the kernel closes the connection. */
  abandon(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.network.sockets.delete(this);
    this.out?.send({ kind: 'end' });
  }
}

function errorOf(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** A client's socket. The kernels shake hands even while the server's process is stopped. */
export function connectSockets(
  network: Network,
  client: SimulatedProcess,
  { host, port }: ConnectOptions,
  clientPort: number,
): SimulatedSocket {
  const socket = new SimulatedSocket(client, network);
  Object.assign(socket, { remoteAddress: host, remotePort: port });
  const back = new Pipe<Arrival>(network, host, client.host, (arrival) => socket.arrive(arrival));
  const forth = new Pipe<'syn' | Arrival>(network, client.host, host, (arrival) => {
    if (arrival !== 'syn') return socket.peer?.arrive(arrival);
    const listener = network.listenerAt({ host, port });
    if (!listener) return back.send({ kind: 'refused' });
    const peer = new SimulatedSocket(listener.process, network);
    Object.assign(peer, { remoteAddress: client.host, remotePort: clientPort });
    Object.assign(peer, { peer: socket, out: back });
    socket.peer = peer;
    back.send({ kind: 'connected' });
    listener.process.post(() => {
      if (network.listenerAt({ host, port }) === listener) listener.onConnection(peer);
      else peer.destroy();
    });
  });
  socket.out = forth;
  forth.send('syn');
  return socket;
}
