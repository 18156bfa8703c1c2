import {
  DEFAULT_MAX_FRAME_BYTES,
  ErrorCode,
  OpCode,
  type ReplyBody,
  type RequestBody,
  type RequestType,
  type Stat,
  WatcherType,
} from 'zk-protocol';
import { checkValue, type Option, wholeMs } from '../option.js';
import { queueMicrotask, setImmediate } from '../real-time.js';
import { proveBy } from '../port/by-refusal.js';
import { isConnectionError, orIfGone, ZooKeeperError } from '../port/client-errors.js';
import { formatAddress } from '../port/connect-string.js';
import { checkPath, isCreatedPath, isName } from '../port/node-path.js';
import type { User } from '../port/user.js';
import {
  ANY_VERSION,
  type ClientListener,
  type Condition,
  type Created,
  type CreateMode,
  type NewNode,
  type NodeContent,
  type NodeStat,
  type Operation,
  type SessionCredentials,
  type ZooKeeperClient,
} from '../port/zookeeper-client.js';
import { Batcher } from './batching/batcher.js';
import { Batching } from './batching/batching.js';
import type { Answer } from './batching/gathered.js';
import { Channel, type ChannelListener } from './channel/channel.js';
import { openSocket, type SocketOptions } from './channel/open-socket.js';
import { type Handshake, shakeHands } from './channel/shake-hands.js';
import { reasonOfRefusal, reasonWithoutTls } from './channel/why-not-serving.js';
import { errorOf } from './error-of.js';
import { DigestMd5 } from './sasl/digest-md5.js';
import {
  NODE_EVENTS,
  pathOf,
  refusalIn,
  toEntries,
  toFlags,
  toHex,
  toPart,
  toStat,
  toWatchMode,
} from './translate.js';

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
   * batch of reads may have this length for each read, but no more than 64 MiB in all. After a longer
   * one, a `get` or `list` that was sent alone rejects with `ZK_ANSWER_TOO_LONG`; after that of a batch
   * or another request, the connection ends. If watches are set, this must be at least 28 bytes more than
   * the longest path that they may report, in UTF-8: a longer event is taken for the answer to the oldest
   * request.
   * @default 4194304, as in Java's client
   */
  readonly maxFrameBytes?: number;
  /** What connections to the same servers have learned about batches. @default nothing yet */
  readonly batching?: Batching | undefined;
  readonly listener: ClientListener;
}

const CONNECT_TIMEOUT_MS = 10_000;
const NO_SASL =
  'The server does not support SASL. Enable it with `authProvider.1` and a JAAS file, or use the scheme "digest"';

const MAX_FRAME_BYTES = 4 * (DEFAULT_MAX_FRAME_BYTES + 1);

const NO_DATA = Buffer.alloc(0);

const CREDENTIALS: Option = {
  expected: 'the `session` of an earlier connection, whose `id` and `password` are in hex',
  accepts: (session) => {
    const { id, password } = session as Partial<SessionCredentials>;
    return /^[\da-f]{1,16}$/i.test(String(id)) && /^(?:[\da-f]{2})*$/i.test(String(password));
  },
  finding: () => undefined,
  remedy: 'Pass the `session` of a Connection.',
};

/**
 * One connection of one session to one server.
 *
 * It never reconnects: when it has ended, {@link Connection.open} can attach the session to a new
 * connection, to this server or another. After a connection loss, the caller has to find out what
 * was executed. Requests that are made at the same time may be sent as one `multi` or `multiRead`;
 * each is answered as if it were sent by itself.
 */
export class Connection implements ZooKeeperClient {
  /**
   * Private, so that `util.inspect` does not show the socket: with TLS it knows the private key.
   */
  readonly #channel: Channel;
  readonly #batcher: Batcher;
  readonly #session: SessionCredentials;

  private constructor(
    channel: Channel,
    batching: Batching,
    session: SessionCredentials,
    readonly server: string,
    /** The granted timeout within `maxSessionTimeoutMs`, in milliseconds. */
    readonly sessionTimeoutMs: number,
  ) {
    this.#channel = channel;
    this.#batcher = new Batcher(channel, batching);
    this.#session = session;
  }

  /**
   * @throws {ZooKeeperError} `session-over` if the session to attach to has ended, `ambiguous` if
   * the server could not be reached in time; its cause says why
   * @throws {ZkLockConfigError} naming the option at fault
   */
  static async open(options: ConnectionOptions): Promise<Connection> {
    const { listener, batching = new Batching(), maxFrameBytes = MAX_FRAME_BYTES } = options;
    const { connectTimeoutMs = CONNECT_TIMEOUT_MS } = options;
    checkValue('sessionTimeoutMs', options.sessionTimeoutMs, wholeMs(10_000));
    checkValue('connectTimeoutMs', connectTimeoutMs, wholeMs(10_000));
    if (options.session) checkValue('session', options.session, CREDENTIALS);
    const server = formatAddress(options);
    const signal = timeoutOfReads(connectTimeoutMs);
    try {
      const socket = await openSocket({ ...options, signal }).catch(async (error: unknown) => {
        throw (await reasonWithoutTls(error, { ...options, signal })) ?? error;
      });
      try {
        const { session, grantedMs } = await shakeHands(socket, options, server, signal);
        const sessionTimeoutMs = Math.min(grantedMs, options.maxSessionTimeoutMs ?? grantedMs);
        const channel = new Channel(socket, {
          ...{ sessionTimeoutMs, maxFrameBytes },
          listener: toChannelListener(listener),
        });
        return new Connection(channel, batching, session, server, sessionTimeoutMs);
      } catch (error) {
        socket.destroy();
        throw (await reasonOfRefusal(error, { ...options, signal })) ?? error;
      }
    } catch (error) {
      if (error instanceof ZooKeeperError) throw error;
      const isLate = error === signal.reason;
      const code = isLate ? ErrorCode.operationTimeout : ErrorCode.connectionLoss;
      throw new ZooKeeperError(code, 'connect', server, { cause: error });
    }
  }

  get session(): SessionCredentials {
    return this.#session;
  }

  /** False once it has ended, or is being closed. */
  get isOpen(): boolean {
    return this.#batcher.isOpen;
  }

  get bytesRead(): number {
    return this.#channel.bytesRead;
  }

  create(path: string, data: Buffer, mode: CreateMode, node: NewNode = {}): Promise<Created> {
    const { ttlMs, alone, rank } = node;
    const flags = toFlags(mode, ttlMs !== undefined);
    if (flags === undefined || !Number.isSafeInteger(ttlMs ?? 0)) {
      const time = ttlMs === undefined ? '' : ` with a time to live of ${ttlMs} ms`;
      const cause = new Error(`nodes${time} of the mode "${mode}" do not exist`);
      return Promise.reject(errorOf({ type: OpCode.create2, path }, ErrorCode.badArguments, cause));
    }
    const body = { path, data, flags, acl: toEntries(node.acl) };
    const read = (answer: Answer<typeof OpCode.create2>): Created => {
      const { path: created, stat } = answer;
      const mayBeOurs = !stat || !mode.startsWith('ephemeral') || this.#owns(stat);
      if (!mayBeOurs || !isCreatedPath(path, mode, created)) {
        throw nonsense(OpCode.create2, path);
      }
      return { path: created, czxid: answer.stat ? answer.stat.czxid : answer.czxid };
    };
    if (ttlMs !== undefined) {
      return this.#ask(OpCode.createTTL, { ...body, ttl: BigInt(ttlMs) }, path, read);
    }
    if (mode === 'container') return this.#ask(OpCode.createContainer, body, path, read);
    return this.#ask(OpCode.create2, body, path, read, alone, rank);
  }

  list(path: string, { watch = false } = {}): Promise<string[]> {
    return this.#ask(OpCode.getChildren, { path, watch }, path, ({ children }) => {
      if (!children.every(isName)) throw nonsense(OpCode.getChildren, path);
      return [...children];
    });
  }

  get(path: string, { watch = false } = {}): Promise<NodeContent> {
    return this.#ask(OpCode.getData, { path, watch }, path, toContent);
  }

  exists(path: string): Promise<NodeStat | undefined> {
    const asked = this.#ask(OpCode.exists, { path, watch: false }, path, statIn);
    return orIfGone(asked, undefined);
  }

  set(path: string, data: Buffer, condition?: Condition): Promise<NodeStat> {
    const body = { path, data, version: condition?.version ?? ANY_VERSION };
    return this.#ask(OpCode.setData, body, path, statIn, condition !== undefined);
  }

  delete(path: string, condition?: Condition): Promise<void> {
    const body = { path, version: condition?.version ?? ANY_VERSION };
    return this.#ask(OpCode.delete, body, path, toNothing, condition !== undefined);
  }

  addWatch(path: string, { recursive }: { recursive: boolean }): Promise<void> {
    return this.#ask(OpCode.addWatch, { path, mode: toWatchMode(recursive) }, path, toNothing);
  }

  removeWatches(path: string): Promise<void> {
    return this.#ask(OpCode.removeWatches, { path, type: WatcherType.any }, path, toNothing);
  }

  transact(operations: readonly Operation[]): Promise<readonly string[]> {
    const unsound = operations.find(({ path }) => checkPath(path) !== undefined);
    const path = unsound?.path ?? operations[0]?.path ?? '/';
    return this.#ask(OpCode.multi, operations.map(toPart), path, (results) => {
      if (results.length !== operations.length) throw nonsense(OpCode.multi, path);
      const refusal = refusalIn(operations, results);
      if (refusal) throw refusal;
      return operations.map((operation, index) => {
        const written = pathOf(operation, results[index]);
        if (written === undefined) throw nonsense(OpCode.multi, operation.path);
        return written;
      });
    });
  }

  sync(path: string): Promise<void> {
    return this.#ask(OpCode.sync, { path }, path, toNothing);
  }

  proveSession(): Promise<void> {
    // With a condition, so that the rest of a batch is not sent again for its refusal.
    return proveBy((path) => this.delete(path, {}));
  }

  /** With `sasl`, the password is not sent: DIGEST-MD5 (RFC 2831) only proves that it is known. */
  async logIn(user: User): Promise<void> {
    const { scheme } = user;
    const who = `${user.username} (${scheme})`;
    if (scheme === 'sasl') {
      await this.#authenticate(user, who);
    } else {
      const auth = Buffer.from(user.revealDigest());
      await this.#logInBy(OpCode.auth, { type: 0, scheme, auth }, who);
    }
  }

  abandon(): void {
    this.#channel.destroy();
  }

  close(): Promise<boolean> {
    return this.#batcher.close();
  }

  async #authenticate(user: User, who: string): Promise<void> {
    const exchange = new DigestMd5(user.username, user.revealPassword());
    const send = async (token: Buffer): Promise<Buffer> =>
      (await this.#logInBy(OpCode.sasl, { token }, who)).token ?? NO_DATA;
    try {
      const challenge = await send(NO_DATA);
      if (challenge.length === 0) throw new Error(NO_SASL);
      const proof = await send(exchange.answer(challenge));
      if (!exchange.isProof(proof)) {
        throw new Error('The server did not prove that it knows the password.');
      }
    } catch (error) {
      if (error instanceof ZooKeeperError) throw error;
      throw errorOf({ type: OpCode.sasl, path: who }, ErrorCode.authFailed, error);
    }
  }

  /** @param who instead of a path, for its error */
  #logInBy<T extends typeof OpCode.auth | typeof OpCode.sasl>(
    type: T,
    body: RequestBody<T>,
    who: string,
  ): Promise<Answer<T>> {
    return new Promise((resolve, reject) =>
      this.#batcher.send({ type, body, path: who, isAlone: true, resolve, reject }),
    );
  }

  #owns({ ephemeralOwner }: Stat): boolean {
    return toHex(ephemeralOwner) === this.#session.id;
  }

  /** @param read converts the server's answer to ours; throws if no ZooKeeper server gives it */
  #ask<T extends RequestType, R>(
    type: T,
    body: RequestBody<T>,
    path: string,
    read: (answer: Answer<T>) => R,
    isAlone = false,
    rank?: number,
  ): Promise<R> {
    return new Promise((resolve, reject) => {
      const fail = (error: Error): void => {
        if (isConnectionError(error)) this.#dropSoon(error);
        reject(error);
      };
      const problem = checkPath(path);
      if (problem !== undefined) {
        reject(errorOf({ type, path }, ErrorCode.badArguments, new Error(problem)));
        return;
      }
      this.#batcher.send({
        ...{ type, body, path, isAlone, rank },
        resolve: (answer) => {
          try {
            resolve(read(answer));
          } catch (error) {
            fail(error as Error);
          }
        },
        reject: (error) => fail(type === OpCode.addWatch ? orUnimplemented(error) : error),
      });
    });
  }

  /** Drops the connection, after the answers that have arrived together with the one that ends it. */
  #dropSoon(error: ZooKeeperError): void {
    queueMicrotask(() => {
      if (this.isOpen) this.#channel.drop(error);
    });
  }
}

/** Without the options of {@link Connection.open}, which it would keep alive. */
function toChannelListener(listener: ClientListener): ChannelListener {
  return {
    onEvent: ({ type, path }) => {
      const event = NODE_EVENTS[type];
      if (event) listener.onNode(path, event);
    },
    onEnd: (end, cause) => listener.onEnd(end, cause),
  };
}

/**
 * Servers with `WatchManagerOptimized` do not support lasting watches, and answer as if they could
 * not read the request. With a cause, it is the answer that cannot be read.
 */
function orUnimplemented(error: ZooKeeperError): ZooKeeperError {
  if (error.returnCode !== ErrorCode.marshallingError || error.cause !== undefined) return error;
  return new ZooKeeperError(ErrorCode.unimplemented, error.request, error.path);
}

/** The error for an answer that no ZooKeeper server gives. */
const nonsense = (type: RequestType, path: string): ZooKeeperError =>
  errorOf({ type, path }, ErrorCode.marshallingError);

const toNothing = (): undefined => undefined;

const statIn = ({ stat }: { readonly stat: Stat }): NodeStat => toStat(stat);

function toContent({ data, stat }: ReplyBody<typeof OpCode.getData>): NodeContent {
  // A copy, because the data are a view of a larger buffer.
  return { data: Buffer.from(data ?? NO_DATA), stat: toStat(stat) };
}

/** Aborts after this many milliseconds. After a stall of this process, the sockets are read before that. */
function timeoutOfReads(ms: number): AbortSignal {
  const haveRead = new AbortController();
  const timeout = AbortSignal.timeout(ms);
  const abort = (): void => void setImmediate(() => haveRead.abort(timeout.reason));
  timeout.addEventListener('abort', abort, { once: true });
  return haveRead.signal;
}
