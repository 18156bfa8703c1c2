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
import { isFourLetterWord } from '../../../../libs/zk-embedded/src/net/four-letter-words.js';
import { isAllowed } from '../../../../libs/zk-embedded/src/requests/access-control.js';
import type { Answer } from '../../../../libs/zk-embedded/src/requests/request-processor.js';
import type { Watcher } from '../../../../libs/zk-embedded/src/watches/watches.js';
import type { SimulatedSocket } from '../../network/simulated-socket.js';
import type { Asker, Entry } from '../log/entry.js';
import { passwordOf, sessionOf } from '../log/replica.js';
import type { ClientPort } from './client-port.js';
import { answerTo } from './four-letter-words.js';
import { type Read, RequestLine } from './request-line.js';

type Phase =
  /** Waits for the first four bytes, which may be a four-letter command. */
  | { readonly name: 'opened' }
  | { readonly name: 'greeting' }
  /** Reads nothing until the session is known. */
  | { readonly name: 'attaching' }
  | { readonly name: 'serving'; readonly line: RequestLine }
  /** The last bytes have been sent. */
  | { readonly name: 'ended' }
  | { readonly name: 'closed' };

/**
 * A client's connection as the server sees it: it reads a handshake and then requests, and sends
 * answers and watch events.
 */
export class ClientConnection implements Watcher, Asker {
  /** Zero until the handshake has assigned it. */
  sessionId = 0n;
  timeoutMs = 0;
  /** When the client was last heard, in milliseconds of the monotonic clock. */
  heardAt: number;
  #phase: Phase = { name: 'opened' };
  readonly #frames: FrameReader;
  /** Bytes that have arrived but have not been read yet. */
  #unread: Buffer[] = [];
  /** Output that is sent in one piece after all bytes that have arrived are handled. */
  #corked: Buffer[] | undefined;

  constructor(
    private readonly socket: SimulatedSocket,
    readonly port: ClientPort,
  ) {
    this.heardAt = port.process.monotonic();
    this.#frames = new FrameReader(port.options.maxFrameBytes);
    socket.on('data', (bytes: Buffer) => this.#receive(bytes));
    socket.on('close', () => this.destroy());
    socket.on('error', () => undefined);
  }

  notify(type: EventType, path: string, acl?: readonly ACL[]): void {
    const phase = this.#phase;
    if (phase.name !== 'serving') return;
    if (acl && !isAllowed(acl, Perms.read, phase.line.identities)) return;
    this.send(encodeWatcherEvent({ type, state: KeeperState.syncConnected, path }));
  }

  applied(entry: Entry, answer: Answer | undefined): void {
    if (entry.request.kind === 'open') this.#welcome(true);
    else if (this.#phase.name === 'serving') this.#phase.line.applied(entry, answer);
  }

  onRead(read: Read): void {
    this.port.onRead(read);
  }

  send(bytes: Buffer): void {
    if (this.#corked) this.#corked.push(bytes);
    else this.socket.write(bytes);
  }

  end(): void {
    if (this.#isOver) return;
    this.#phase = { name: 'ended' };
    this.#flush();
    this.socket.end();
    this.port.forget(this);
  }

  destroy(): void {
    const phase = this.#phase;
    if (phase.name === 'closed') return;
    if (phase.name === 'serving') phase.line.drop();
    this.#phase = { name: 'closed' };
    this.socket.destroy();
    this.port.forget(this);
  }

  get #isOver(): boolean {
    return this.#phase.name === 'ended' || this.#phase.name === 'closed';
  }

  #flush(): void {
    const corked = this.#corked;
    this.#corked = undefined;
    if (!corked || corked.length === 0) return;
    this.socket.write(corked.length === 1 ? corked[0]! : Buffer.concat(corked));
  }

  #receive(bytes: Buffer): void {
    if (this.#isOver) return;
    this.heardAt = this.port.process.monotonic();
    if (this.#phase.name === 'serving' || this.#phase.name === 'greeting') return this.#read(bytes);
    this.#unread.push(bytes);
    if (this.#phase.name !== 'opened') return;
    const start = Buffer.concat(this.#unread);
    if (start.length < 4) return;
    const word = start.toString('latin1', 0, 4);
    if (isFourLetterWord(word)) {
      this.send(Buffer.from(answerTo(word, this.port)));
      return this.end();
    }
    this.#unread = [];
    this.#phase = { name: 'greeting' };
    this.#read(start);
  }

  #read(bytes: Buffer): void {
    this.#corked = [];
    try {
      for (const request of this.#frames.read(bytes)) if (!this.#handle(request)) break;
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.destroy();
    }
    this.#flush();
  }

  /** Returns false if nothing more may be read now. */
  #handle(request: Buffer): boolean {
    if (this.#phase.name === 'greeting') this.#greet(decode(ConnectRequest, request));
    else if (this.#phase.name === 'serving') this.#phase.line.take(request);
    return this.#phase.name === 'serving';
  }

  #greet(request: ConnectRequest): void {
    const { port } = this;
    const { service } = port;
    if (!service || request.lastZxidSeen > service.replica.database.lastZxid) return this.destroy();
    const { minSessionTimeoutMs, maxSessionTimeoutMs } = port.options;
    this.timeoutMs = Math.min(Math.max(request.timeOut, minSessionTimeoutMs), maxSessionTimeoutMs);
    this.#phase = { name: 'attaching' };
    const isNew = request.sessionId === 0n;
    port.attach(this, isNew ? port.newSessionId() : request.sessionId);
    const { sessionId, timeoutMs } = this;
    if (isNew) {
      service.submit({ kind: 'open', sessionId, timeoutMs, asker: this });
    } else if (request.passwd && passwordOf(sessionId).equals(request.passwd)) {
      service.revalidate(sessionId, timeoutMs, (isValid) => this.#welcome(isValid));
    } else {
      this.#welcome(false);
    }
  }

  #welcome(isValid: boolean): void {
    const { service } = this.port;
    if (this.#phase.name !== 'attaching' || !service) return;
    const { sessionId, timeoutMs } = this;
    const response = {
      protocolVersion: 0,
      timeOut: isValid ? timeoutMs : 0,
      sessionId: isValid ? sessionId : 0n,
      passwd: isValid ? passwordOf(sessionId) : Buffer.alloc(16),
      readOnly: false,
    };
    this.send(frame((writer) => ConnectResponse.write(writer, response)));
    if (!isValid) return this.end();
    const address = this.socket.remoteAddress ?? '';
    const identities: Id[] = [{ scheme: 'ip', id: address }];
    const session = sessionOf(sessionId, timeoutMs);
    const line = new RequestLine(this, service, { session, watcher: this, identities, address });
    this.#phase = { name: 'serving', line };
    // Answers given during a read are sent by that read.
    if (!this.#corked) this.#read(Buffer.concat(this.#unread.splice(0)));
  }
}
