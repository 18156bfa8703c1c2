import type { Socket } from 'node:net';
import {
  type ACL,
  ConnectRequest,
  ConnectResponse,
  decode,
  encodeWatcherEvent,
  type EventType,
  FrameReader,
  frame,
  type Id,
  KeeperState,
  Perms,
  ProtocolError,
} from 'zk-protocol';
import { isAllowed } from '../requests/access-control.js';
import type { Caller } from '../requests/request-context.js';
import type { Session } from '../sessions/session-table.js';
import type { ClientConnection } from './client-connection.js';
import { answerWord, isFourLetterWord } from './four-letter-words.js';
import { Outbox } from './outbox.js';
import type { ServerCore } from './server-core.js';
import { Traffic } from './traffic.js';

const PASSWORD_BYTES = 16;
/** How long a client may take to hang up after the last answer. */
const LINGER_MS = 1_000;

/**
 * The phase of a connection: it waits for its first four bytes, its handshake, requests, or its
 * end.
 */
type Phase =
  | { readonly name: 'opened'; readonly bytes: Buffer }
  | { readonly name: 'greeting' }
  | { readonly name: 'serving'; readonly caller: Caller }
  /** The last answer is still being sent. */
  | { readonly name: 'ending' }
  | { readonly name: 'closed' };

/** One client's connection: bytes in, requests in their order, answers and watch events out. */
export class Connection implements ClientConnection {
  readonly establishedAt = Date.now();
  readonly traffic = new Traffic();
  readonly #frames: FrameReader;
  readonly #outbox: Outbox;
  #phase: Phase = { name: 'opened', bytes: Buffer.alloc(0) };
  #isStalled = false;

  constructor(
    private readonly socket: Socket,
    private readonly core: ServerCore,
  ) {
    this.#frames = new FrameReader(core.options.maxBufferBytes);
    this.#outbox = new Outbox(socket, {
      delayMs: () => core.faults.delayMs,
      onRoom: () => this.#readOn(),
    });
    socket.setNoDelay(true);
    socket.on('data', (bytes: Buffer) => this.#receive(bytes));
    socket.on('close', () => this.destroy());
    // A reset ends in 'close' as well.
    socket.on('error', () => undefined);
    if (core.faults.isPaused) this.pause();
  }

  get session(): Session | undefined {
    return this.#phase.name === 'serving' ? this.#phase.caller.session : undefined;
  }

  get remoteAddress(): string {
    return addressOf(this.socket);
  }

  get remotePort(): number {
    return this.socket.remotePort ?? 0;
  }

  pause(): void {
    this.socket.pause();
    this.#outbox.hold();
  }

  resume(): void {
    this.#resumeReading();
    this.#outbox.release();
  }

  #resumeReading(): void {
    if (!this.#isStalled) this.socket.resume();
  }

  notify(type: EventType, path: string, acl?: readonly ACL[]): void {
    if (this.#phase.name !== 'serving') return;
    if (acl && !isAllowed(acl, Perms.read, this.#phase.caller.identities)) return;
    this.#send(encodeWatcherEvent({ type, state: KeeperState.syncConnected, path }));
    // Clients do not ask for events, so only this limits them.
    if (this.#outbox.isOverfull) this.destroy();
  }

  destroy(): void {
    if (this.#phase.name === 'closed') return;
    this.#phase = { name: 'closed' };
    this.#outbox.discard();
    this.socket.destroy();
    this.core.forget(this);
  }

  #end(): void {
    this.#phase = { name: 'ending' };
    this.socket.once('finish', () => setTimeout(() => this.destroy(), LINGER_MS).unref());
    this.#outbox.close();
  }

  #send(bytes: Buffer): void {
    this.traffic.sent += 1;
    this.#outbox.send(bytes);
  }

  #receive(bytes: Buffer): void {
    if (this.#phase.name === 'ending') return;
    if (this.#phase.name === 'opened') {
      const start = Buffer.concat([this.#phase.bytes, bytes]);
      this.#phase = { name: 'opened', bytes: start };
      if (start.length < 4) return;
      const word = start.toString('latin1', 0, 4);
      if (isFourLetterWord(word)) {
        this.#outbox.send(Buffer.from(answerWord(word, this.core)));
        this.#end();
        return;
      }
      this.#phase = { name: 'greeting' };
      bytes = start;
    }
    this.#handleAll(bytes);
  }

  #handleAll(bytes: Buffer): void {
    try {
      for (const request of this.#frames.read(bytes)) {
        if (!this.#handle(request)) return;
        if (this.#outbox.isFull) {
          // A client that does not read its answers is not read from.
          this.#isStalled = true;
          this.socket.pause();
          return;
        }
      }
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      // As in a real server: if no answer is possible, the connection ends.
      this.destroy();
    }
  }

  /** Continues after a stall, with the bytes read by then. */
  #readOn(): void {
    if (!this.#isStalled || this.core.faults.isPaused) return;
    this.#isStalled = false;
    this.#handleAll(Buffer.alloc(0));
    this.#resumeReading();
  }

  /** False if nothing more is to be read. */
  #handle(request: Buffer): boolean {
    this.traffic.received += 1;
    switch (this.#phase.name) {
      case 'greeting':
        return this.#greet(decode(ConnectRequest, request));
      case 'serving':
        return this.#serve(this.#phase.caller, request);
      default:
        return false;
    }
  }

  #greet(request: ConnectRequest): boolean {
    const session = this.core.attach(this, request);
    if (session === 'refused') {
      this.destroy();
      return false;
    }
    this.#send(welcome(request, session));
    if (!session) {
      this.#end();
      return false;
    }
    const identities: Id[] = [{ scheme: 'ip', id: this.remoteAddress }];
    const caller = { session, watcher: this, identities, address: this.remoteAddress };
    this.#phase = { name: 'serving', caller };
    return true;
  }

  #serve(caller: Caller, request: Buffer): boolean {
    const answer = this.core.execute(caller, request);
    const frame = answer.encode();
    this.traffic.answered(answer.type, frame, performance.now());
    if (this.core.faults.takesReply(answer.type, request)) {
      // The requests before it are answered.
      this.#end();
      return false;
    }
    this.#send(frame);
    if (answer.closes) this.#end();
    return !answer.closes;
  }
}

/** The client's address; an IPv4 address as such, even if the server listens on IPv6 as well. */
export function addressOf(socket: Socket): string {
  return (socket.remoteAddress ?? '').replace(/^::ffff:(?=[\d.]+$)/, '');
}

/** The answer to a handshake. An answer without a session says that the session is over. */
function welcome(request: ConnectRequest, session: Session | undefined): Buffer {
  const response = {
    protocolVersion: 0,
    timeOut: session?.timeoutMs ?? 0,
    sessionId: session?.id ?? 0n,
    passwd: session?.password ?? Buffer.alloc(PASSWORD_BYTES),
    ...(request.readOnly === undefined ? {} : { readOnly: false }),
  };
  return frame((writer) => ConnectResponse.write(writer, response));
}
