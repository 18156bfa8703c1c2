import type { Acl, User } from './user.js';

/** The version with which writes ignore the version of the node. */
export const ANY_VERSION = -1;

/** The kinds of znode. */
export type CreateMode =
  'persistent' | 'persistent-sequential' | 'container' | 'ephemeral' | 'ephemeral-sequential';

export interface NodeStat {
  /** The zxid of the transaction that created the node. */
  readonly czxid: bigint;
  /** The zxid of the latest transaction that replaced its data. */
  readonly mzxid: bigint;
  /** The zxid of the latest transaction that created or deleted one of its children. */
  readonly pzxid: bigint;
  /** When it was created, by the server's clock. */
  readonly ctime: Date;
  /** When its data were last replaced, by the server's clock. */
  readonly mtime: Date;
  /**
   * The session that owns an ephemeral node, in hex without a prefix; `0` for others.
   */
  readonly ephemeralOwner: string;
  /** How often its data have been replaced since it was created. */
  readonly version: number;
  /** How often its ACL has been replaced since it was created. */
  readonly aclVersion: number;
  /** How often one of its children was created or deleted. */
  readonly childrenVersion: number;
  /** In bytes. */
  readonly dataLength: number;
  readonly numChildren: number;
}

/** The condition of a write. Even without a version, the write is sent by itself. */
export interface Condition {
  /** Writes only if the node has this version. */
  readonly version?: number | undefined;
}

/** What a new node has besides its path, data and mode. */
export interface NewNode {
  /**
   * The ACL that it has from its creation on. The native client refuses one that keeps clients out,
   * and ignores any other. @default open to every client
   */
  readonly acl?: Acl | undefined;
  /**
   * If it rises, nodes of one directory may be created in one transaction, with one czxid.
   * @default undefined: no other node of its directory has its czxid
   */
  readonly rank?: number | undefined;
  /** Whether the request is sent by itself, because it may well be refused: others may use its name. */
  readonly alone?: boolean;
  /** How long it stays without children and changes, in milliseconds. Only for persistent nodes. */
  readonly ttlMs?: number | undefined;
}

export interface Created {
  /** Includes the sequence number of a sequential node. */
  readonly path: string;
  /** Undefined if the answer to `create` does not contain it; that of `get` does. */
  readonly czxid: bigint | undefined;
}

export interface NodeContent {
  readonly data: Buffer;
  readonly stat: NodeStat;
}

export type NodeEvent = 'deleted' | 'changed' | 'children';

/** The events of a lasting watch. */
export type LastingEvent = NodeEvent | 'created';

/** A part of a transaction. Without `version`, any version of the node is accepted. */
export type Operation =
  | {
      readonly type: 'create';
      readonly path: string;
      readonly data: Buffer;
      readonly mode: CreateMode;
      readonly acl?: Acl | undefined;
    }
  | {
      readonly type: 'set';
      readonly path: string;
      readonly data: Buffer;
      readonly version?: number | undefined;
    }
  /** `check`: the node exists, in that version. */
  | {
      readonly type: 'delete' | 'check';
      readonly path: string;
      readonly version?: number | undefined;
    };

/** Why a client ended. Its session lives on after `disconnected`. */
export type ClientEnd = 'disconnected' | 'session-expired' | 'auth-failed';

export interface ClientListener {
  /**
   * A watch fired. An event that several watches of this connection cover is reported once. Only
   * lasting watches report creations.
   */
  onNode(path: string, event: LastingEvent): void;
  /**
   * Called at most once, and not after `close` or `abandon`. No call succeeds after that.
   *
   * @param cause for people, if it is known
   */
  onEnd(end: ClientEnd, cause?: unknown): void;
}

/**
 * The calls of **one connection** of one session.
 *
 * A client never reconnects: when its connection is gone, it ends, and the session layer attaches
 * the session to a new one. Every call rejects with a `ZooKeeperError` whose `outcome` says whether
 * the server may have executed it. The connection ends when the server is silent for a third of the
 * session timeout although an answer is due. Writes are executed in the order in which they were
 * made. A read is executed after the writes that were made before it, but perhaps after later ones
 * that do not change what it reads.
 */
export interface ZooKeeperClient {
  readonly session: SessionCredentials;
  /** As negotiated with the server, in milliseconds, limited to a few times what was requested. */
  readonly sessionTimeoutMs: number;
  /** The server's address and port. */
  readonly server: string;
  /**
   * The number of bytes received from the server. Absent if a turn of the event loop reads one
   * message rather than everything that has arrived.
   */
  readonly bytesRead?: number;

  /**
   * Creates a node; an existing one stays unchanged. If the result has a czxid, the node is known to
   * belong to this session.
   *
   * @throws {ZkLockConfigError} when the adapter does not support a requested feature
   */
  create(path: string, data: Buffer, mode: CreateMode, node?: NewNode): Promise<Created>;
  /**
   * Lists the children. With `watch`, one event follows when a child is created or deleted, or the
   * node itself is deleted.
   */
  list(path: string, options?: { watch?: boolean }): Promise<string[]>;
  /** Reads a node. With `watch`, one event follows when the node is deleted or its data change. */
  get(path: string, options?: { watch?: boolean }): Promise<NodeContent>;
  exists(path: string): Promise<NodeStat | undefined>;
  /** Replaces the data. With a condition, it is sent by itself, because it may well be refused. */
  set(path: string, data: Buffer, condition?: Condition): Promise<NodeStat>;
  /** Deletes a node. With a condition, it is sent by itself, like `set`. */
  delete(path: string, condition?: Condition): Promise<void>;
  /**
   * Sets a lasting watch on the node and its children, or on everything below it. Servers before
   * 3.9 keep one kind of watch at a time on a path: the latest that was set there, including
   * one-shot ones. Absent if the adapter does not support it.
   */
  addWatch?(path: string, options: { recursive: boolean }): Promise<void>;
  /** Removes all watches of this connection on the path, including one-shot ones. */
  removeWatches?(path: string): Promise<void>;
  /**
   * Executes all operations at one moment, or none, and is never sent again. Resolves with the
   * paths of the nodes, in the order of the operations. Absent if the adapter does not support it.
   *
   * @throws {OperationRefusedError} when nothing was done, because one of the operations was
   * refused
   */
  transact?(operations: readonly Operation[]): Promise<readonly string[]>;
  /**
   * Answered by the leader, or by a server that takes itself for the leader: later reads see what
   * it had committed.
   */
  sync(path: string): Promise<void>;
  /**
   * A transaction without effect. Its answer proves that the session was alive and the leader was
   * still leading, because a quorum had to commit it. Later reads see everything committed before
   * it.
   */
  proveSession(): Promise<void>;
  /** Everything that follows on this connection belongs to this user. */
  logIn(user: User): Promise<void>;

  /** Drops the connection; the session and its ephemeral nodes stay alive on the server. */
  abandon(): void;
  /**
   * Waits for the calls in flight, then ends the session together with its ephemeral nodes. False
   * if the connection was lost before; the session may then live on.
   */
  close(): Promise<boolean>;
}

/** A secret: with it, any client can join the session. It must not be logged. */
export interface SessionCredentials {
  /** In hex, without a prefix. */
  readonly id: string;
  /** In hex. */
  readonly password: string;
}

export interface ConnectRequest {
  /** The IP address and port of one server. */
  readonly address: ServerAddress;
  /** The requested timeout; the server adjusts it to its own limits. */
  readonly sessionTimeoutMs: number;
  /** Give up after this many milliseconds. */
  readonly connectTimeoutMs: number;
  /** Aborts when the connection must no longer keep the process running. */
  readonly over?: AbortSignal | undefined;
  /** The session to attach to; without it, a new one is created. */
  readonly session?: SessionCredentials | undefined;
  readonly listener: ClientListener;
}

export interface ServerAddress {
  readonly host: string;
  readonly port: number;
  /** The name that was resolved to `host`, which is an address. */
  readonly name?: string;
}

/** Opens a connection. There is an adapter for each supported ZooKeeper library. */
export interface ZooKeeperConnector {
  /** The name of the client in messages. */
  readonly description: string;
  /** @throws {ZkLockConfigError} when this adapter cannot work in this process */
  load(): void;
  /**
   * @throws {ZooKeeperError} `session-over` when the session to attach to has ended, `auth`, or
   * `ambiguous` when this server could not be reached in time
   */
  connect(request: ConnectRequest): Promise<ZooKeeperClient>;
}

/**
 * A server may raise the requested timeout to a minimum of its own, which is two ticks by default.
 */
const MOST_TIMES = 4;

/**
 * How much of a granted session timeout is relied on. All timers that watch the server derive from
 * it; a client that requested seconds must not wait for days. A lease that ends too early is safe.
 */
export function believableTimeoutMs(grantedMs: number, askedMs: number): number {
  return Math.min(grantedMs, MOST_TIMES * askedMs);
}
