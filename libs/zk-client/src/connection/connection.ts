import {
  type ACL,
  AddWatchMode,
  CreateMode,
  DEFAULT_MAX_FRAME_BYTES,
  ErrorCode,
  type Id,
  type MultiPart,
  type MultiResult,
  OpCode,
  Perms,
  ProtocolError,
  type ReplyBody,
  type RequestBody,
  type RequestType,
  type Stat,
  type WatcherType,
} from 'zk-protocol';
import { Batcher } from './batching/batcher.js';
import type { Batching } from './batching/batching.js';
import type { Answer, CreatedTogether } from './batching/gathered.js';
import { Channel, type ChannelListener } from './channel/channel.js';
import { openSocket, type SocketOptions } from './channel/open-socket.js';
import { type SessionCredentials, type Handshake, shakeHands } from './channel/shake-hands.js';
import { StrangerError } from './channel/stranger.js';
import { whyNotServing, whyNoTls } from './channel/why-not-serving.js';
import { LinkedSignal } from '../listeners.js';
import { RequestError } from './request-error.js';
import { DigestMd5 } from './sasl/digest-md5.js';
import { checkValue, wholeMs } from '../option.js';

export interface ConnectionOptions
  extends Omit<SocketOptions, 'signal'>, Omit<Handshake, 'sessionTimeoutMs'> {
  /** The session timeout to ask for, in milliseconds; the server keeps it within its limits. */
  readonly sessionTimeoutMs: number;
  /**
   * The client uses at most this timeout, even if the server grants a longer one. @default the granted
   * timeout
   */
  readonly maxSessionTimeoutMs?: number;
  /** Gives up after this many milliseconds. @default 10000 */
  readonly connectTimeoutMs?: number;
  /**
   * The longest answer to one request that is accepted (`jute.maxbuffer`), in bytes. The answer to a
   * batch of reads may have this length for each read, but no more than 64 MiB in all.
   * @default 4194304, as in Java's client
   */
  readonly maxFrameBytes?: number;
  /**
   * Sends requests made at the same time as one `multi` or `multiRead`. Each is answered as if it
   * were sent by itself. @default each is sent by itself
   */
  readonly batching?: Batching | undefined;
  readonly listener: ChannelListener;
}

export type CreateModeName = keyof typeof CreateMode;

export interface WriteOptions {
  /**
   * Sends the request by itself. Use this for a request that is likely to be refused: otherwise, all
   * requests of its batch would have to be sent again.
   */
  readonly alone?: boolean;
}

export interface CreateOptions extends WriteOptions {
  /** @default 'persistent' */
  readonly mode?: CreateModeName;
  /** @default open to all clients */
  readonly acl?: readonly ACL[];
  /** For modes with a TTL: how long the server keeps a node without children and changes, in milliseconds. */
  readonly ttlMs?: number | undefined;
  /**
   * With `batching`, nodes of one directory are created in one transaction, and have the same czxid,
   * only if their ranks rise. @default undefined: no other node of its directory has its czxid
   */
  readonly rank?: number | undefined;
}

export interface Created {
  readonly path: string;
  /** zxid of the transaction that created it. */
  readonly czxid: bigint;
  /**
   * As it was created. Undefined for a node created in a batch, because servers do not return its
   * stat.
   */
  readonly stat?: Stat | undefined;
}

/** The version with which writes ignore the version of the node. */
export const ANY_VERSION = -1;

/** The ACL that permits everything to all clients. */
export const OPEN_ACL: readonly ACL[] = [
  { perms: Perms.all, id: { scheme: 'world', id: 'anyone' } },
];

const CONNECT_TIMEOUT_MS = 10_000;
/** A server that answers at all answers sooner. */
const REASON_TIMEOUT_MS = 1_000;
const NO_SASL =
  'The server does not support SASL. Enable it with `authProvider.1` and a JAAS file, or use the scheme "digest"';

const MAX_FRAME_BYTES = 4 * (DEFAULT_MAX_FRAME_BYTES + 1);

/**
 * One connection of one session to one server.
 *
 * It never reconnects: when it has ended, {@link Connection.open} can attach the session to a new
 * connection, to this server or another. Requests that are made in one turn of the event loop are sent
 * together. All requests are executed and answered in order. A failed one rejects with a
 * {@link RequestError}. After a connection loss, the caller has to find out what was executed.
 *
 * With `batching`, reads may be executed after later writes that do not change what they read. All
 * other requests keep their order.
 */
export class Connection {
  /**
   * Private, so that `util.inspect` does not show the socket: with TLS it knows the private key.
   */
  readonly #channel: Channel;
  readonly #batcher: Batcher | undefined;
  readonly #session: SessionCredentials;

  private constructor(
    channel: Channel,
    batching: Batching | undefined,
    session: SessionCredentials,
    /** The granted timeout within `maxSessionTimeoutMs`, in milliseconds. */
    readonly sessionTimeoutMs: number,
  ) {
    this.#channel = channel;
    if (batching) this.#batcher = new Batcher(channel, batching);
    this.#session = session;
  }

  /**
   * @throws {RequestError} `sessionExpired` if the session to attach to has ended, `connectionLoss`
   * or `operationTimeout` if the server could not be reached; its cause says why
   * @throws {ZkLockConfigError} naming the option at fault
   */
  static async open(options: ConnectionOptions): Promise<Connection> {
    const { host, port, listener, maxFrameBytes = MAX_FRAME_BYTES } = options;
    const { connectTimeoutMs = CONNECT_TIMEOUT_MS } = options;
    checkValue('sessionTimeoutMs', options.sessionTimeoutMs, wholeMs(10_000));
    checkValue('connectTimeoutMs', connectTimeoutMs, wholeMs(10_000));
    const server = `${host}:${port}`;
    const signal = AbortSignal.timeout(connectTimeoutMs);
    try {
      const socket = await openSocket({ ...options, signal }).catch(async (error: unknown) => {
        throw (await reasonWithoutTls(error, { ...options, signal })) ?? error;
      });
      try {
        const { session, grantedMs } = await shakeHands(socket, options, server, signal);
        const sessionTimeoutMs = Math.min(grantedMs, options.maxSessionTimeoutMs ?? grantedMs);
        const channel = new Channel(socket, { sessionTimeoutMs, maxFrameBytes, listener });
        return new Connection(channel, options.batching, session, sessionTimeoutMs);
      } catch (error) {
        socket.destroy();
        throw (await reasonOfRefusal(error, { ...options, signal })) ?? error;
      }
    } catch (error) {
      if (error instanceof RequestError) throw error;
      const code = signal.aborted ? ErrorCode.operationTimeout : ErrorCode.connectionLoss;
      throw new RequestError(code, 'connect', server, true, { cause: error });
    }
  }

  get session(): SessionCredentials {
    return this.#session;
  }

  get isOpen(): boolean {
    return (this.#batcher ?? this.#channel).isOpen;
  }

  /** The number of bytes received from the server. */
  get bytesRead(): number {
    return this.#channel.bytesRead;
  }

  /** The node's path, with the sequence number where the mode adds one, and its stat. */
  create(path: string, data: Buffer, options: CreateOptions = {}): Promise<Created> {
    const { mode = 'persistent', acl = OPEN_ACL, ttlMs, alone, rank } = options;
    const body = { path, data, acl, flags: CreateMode[mode] };
    if (mode !== 'container' && ttlMs === undefined) {
      return this.#ask(OpCode.create2, body, path, alone, rank).then(withCzxid);
    }
    if (ttlMs === undefined) {
      return this.#ask(OpCode.createContainer, body, path).then(withCzxid);
    }
    return this.#createMortal({ ...body, ttlMs });
  }

  delete(path: string, version: number = ANY_VERSION, { alone }: WriteOptions = {}): Promise<void> {
    return this.#ask(OpCode.delete, { path, version }, path, alone);
  }

  /** Null if there is no node; a watch set by this call then waits for its creation. */
  async exists(path: string, { watch = false } = {}): Promise<Stat | null> {
    try {
      return (await this.#ask(OpCode.exists, { path, watch }, path)).stat;
    } catch (error) {
      if (error instanceof RequestError && error.code === ErrorCode.noNode) return null;
      throw error;
    }
  }

  getData(
    path: string,
    { watch = false } = {},
  ): Promise<{ readonly data: Buffer | null; readonly stat: Stat }> {
    return this.#ask(OpCode.getData, { path, watch }, path);
  }

  async setData(
    path: string,
    data: Buffer,
    version: number = ANY_VERSION,
    { alone }: WriteOptions = {},
  ): Promise<Stat> {
    return (await this.#ask(OpCode.setData, { path, data, version }, path, alone)).stat;
  }

  /** Returns the names of the children in no particular order. */
  getChildren(path: string, { watch = false } = {}): Promise<readonly string[]> {
    return this.#ask(OpCode.getChildren, { path, watch }, path).then(childrenOf);
  }

  getAcl(path: string): Promise<{ readonly acl: readonly ACL[]; readonly stat: Stat }> {
    return this.#ask(OpCode.getACL, { path }, path);
  }

  async setAcl(path: string, acl: readonly ACL[], version: number = ANY_VERSION): Promise<Stat> {
    return (await this.#ask(OpCode.setACL, { path, acl, version }, path)).stat;
  }

  /** Later reads on this connection see all that the leader had committed by this call. */
  async sync(path: string): Promise<void> {
    await this.#ask(OpCode.sync, { path }, path);
  }

  /** Executes all writes and checks, or none. If one fails, every part has an error. */
  multi(parts: readonly MultiPart[]): Promise<readonly MultiResult[]> {
    return this.#ask(OpCode.multi, parts, '');
  }

  /** Executes all reads at one moment, each with its own result. They set no watches. */
  multiRead(parts: readonly MultiPart[]): Promise<readonly MultiResult[]> {
    return this.#ask(OpCode.multiRead, parts, '');
  }

  /** A persistent watch, for this node or for all nodes below it as well (ZooKeeper 3.6). */
  async addWatch(path: string, mode: keyof typeof AddWatchMode): Promise<void> {
    await this.#ask(OpCode.addWatch, { path, mode: AddWatchMode[mode] }, path);
  }

  /** @throws {RequestError} `noWatcher` if there is no watch of this kind */
  async removeWatches(path: string, type: WatcherTypeNumber): Promise<void> {
    await this.#ask(OpCode.removeWatches, { path, type }, path);
  }

  /** Adds an identity to this connection: `digest` and `user:password`, for example. */
  async addAuth(scheme: string, auth: Buffer): Promise<void> {
    await this.#ask(OpCode.auth, { type: 0, scheme, auth }, scheme);
  }

  /**
   * Authenticates by SASL's DIGEST-MD5 (RFC 2831), which does not send the password.
   *
   * @throws {RequestError} `authFailed` if the server refuses, cannot prove that it knows the
   * password itself, or does not speak DIGEST-MD5 with `qop=auth`; its cause says why
   */
  async authenticate(username: string, password: string): Promise<void> {
    const exchange = new DigestMd5(username, password);
    const send = async (token: Buffer): Promise<Buffer> =>
      (await this.#ask(OpCode.sasl, { token }, username)).token ?? Buffer.alloc(0);
    try {
      const challenge = await send(Buffer.alloc(0));
      if (challenge.length === 0) throw new Error(NO_SASL);
      const proof = await send(exchange.answer(challenge));
      if (!exchange.isProof(proof)) {
        throw new Error('The server did not prove that it knows the password.');
      }
    } catch (error) {
      if (error instanceof RequestError) throw error;
      throw new RequestError(ErrorCode.authFailed, 'sasl', username, true, { cause: error });
    }
  }

  /** The identities that the server knows of this connection. */
  async whoAmI(): Promise<readonly Id[]> {
    const { clientInfo } = await this.#ask(OpCode.whoAmI, undefined, '');
    return clientInfo.map(({ authScheme, user }) => ({ scheme: authScheme, id: user }));
  }

  /**
   * Ends the session and removes its ephemeral nodes, after all earlier requests. False if the
   * connection is lost first; the session may live on then.
   */
  close(): Promise<boolean> {
    return (this.#batcher ?? this.#channel).close();
  }

  /** Breaks the connection; the session lives on until it expires. */
  abandon(): void {
    this.#channel.destroy();
  }

  async #createMortal({
    ttlMs,
    ...body
  }: RequestBody<typeof OpCode.create2> & { readonly ttlMs: number }): Promise<Created> {
    const mortal = { ...body, ttl: BigInt(ttlMs) };
    return withCzxid(await this.#ask(OpCode.createTTL, mortal, body.path));
  }

  #ask<T extends RequestType>(
    type: T,
    body: RequestBody<T>,
    path: string,
    alone = false,
    rank?: number,
  ): Promise<Answer<T>> {
    if (this.#batcher) return this.#batcher.request(type, body, path, alone, rank);
    return this.#channel.request(type, body, path) as Promise<Answer<T>>;
  }
}

type CreateAnswer = CreatedTogether | { readonly path: string; readonly stat: Stat };

function withCzxid(answer: CreateAnswer): Created {
  if (!answer.stat) return answer;
  const { path, stat } = answer;
  return { path, czxid: stat.czxid, stat };
}

const childrenOf = ({ children }: ReplyBody<typeof OpCode.getChildren>): readonly string[] =>
  children;

type WatcherTypeNumber = (typeof WatcherType)[keyof typeof WatcherType];

/**
 * The reason that a server gives when asked, after it has closed the connection during the
 * handshake.
 */
async function reasonOfRefusal(error: unknown, options: SocketOptions): Promise<Error | undefined> {
  const isAnswered = [RequestError, ProtocolError, StrangerError].some(
    (kind) => error instanceof kind,
  );
  return isAnswered ? undefined : reasonBy(whyNotServing, options);
}

/**
 * Errors of a server that closed the connection on TLS, or answered something else; not those of
 * certificates and networks.
 */
const NOT_TLS = /^(ECONNRESET|EPROTO|EPIPE|ERR_SSL_(?!.*ALERT).*)$/;

/** The reason if a TLS connection failed because the server does not support TLS. */
async function reasonWithoutTls(
  error: unknown,
  options: SocketOptions,
): Promise<Error | undefined> {
  const { code = 'ECONNRESET' } = error as NodeJS.ErrnoException;
  return options.tls && NOT_TLS.test(code) ? reasonBy(whyNoTls, options) : undefined;
}

/** Undefined if the server does not tell soon. */
async function reasonBy(
  ask: typeof whyNotServing,
  { signal, ...options }: SocketOptions,
): Promise<Error | undefined> {
  if (signal.aborted) return undefined;
  using soon = new LinkedSignal([signal, AbortSignal.timeout(REASON_TIMEOUT_MS)]);
  return await ask({ ...options, signal: soon.signal }).catch(() => undefined);
}
