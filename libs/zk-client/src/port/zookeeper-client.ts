import type { Acl, User } from './user.js';

/** The kinds of znode the recipes create. */
export type CreateMode =
  'persistent' | 'persistent-sequential' | 'container' | 'ephemeral' | 'ephemeral-sequential';

export interface NodeStat {
  /** zxid of the transaction that created the node. */
  readonly czxid: bigint;
  /** zxid of the latest one that replaced its data. */
  readonly mzxid: bigint;
  /** zxid of the latest one that created or deleted a child of it. */
  readonly pzxid: bigint;
  /** When it was created, by the server's clock. */
  readonly ctime: Date;
  /** When its data were replaced last, by the server's clock. */
  readonly mtime: Date;
  /** Session that owns an ephemeral node, in hex as in {@link ZooKeeperClient.sessionId}; `0` for others. */
  readonly ephemeralOwner: string;
  /** How often its data have been replaced since it was created. */
  readonly version: number;
  /** How often its ACL has been replaced since it was created. */
  readonly aclVersion: number;
  /** How often a child of it was created or deleted. */
  readonly childrenVersion: number;
  /** In bytes. */
  readonly dataLength: number;
  readonly numChildren: number;
}

/** What a write that belongs to a user of the client demands. */
export interface Condition {
  /** Only if the node has it. */
  readonly version?: number | undefined;
}

export interface NewNode {
  readonly acl?: Acl | undefined;
  /** For how long it stays without children and changes, in milliseconds. Persistent ones only. */
  readonly ttlMs?: number | undefined;
}

export interface Created {
  /** With the sequence number where the mode adds one. */
  readonly path: string;
  /** Undefined if the answer to `create` does not have it; `get` does. */
  readonly czxid: bigint | undefined;
}

export interface NodeContent {
  readonly data: Buffer;
  readonly stat: NodeStat;
}

export type NodeEvent = 'deleted' | 'changed' | 'children';

/** What a lasting watch tells of. */
export type LastingEvent = NodeEvent | 'created';

/** A part of a transaction. Without `version`, whatever version the node has. */
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

/** Why a client came to its end. Its session lives on after `disconnected`. */
export type ClientEnd = 'disconnected' | 'session-expired' | 'auth-failed';

export interface ClientListener {
  /**
   * A watch fired. What several watches of this connection cover is told once. Only lasting ones tell
   * of a creation.
   */
  onNode(path: string, event: LastingEvent): void;
  /** Called at most once, and not after `close` or `abandon`. No call succeeds from then on. */
  onEnd(end: ClientEnd): void;
}

/**
 * The few calls the recipes need, on **one connection** of one session.
 *
 * A client never reconnects: when its connection is gone it ends, and the session layer attaches
 * the session to a new one. Every call rejects with a `ZooKeeperError` whose `outcome` says whether
 * the server may have executed it. Silence for a third of the session timeout while an answer is
 * due ends the connection. Writes are executed in the order in which they were made, and a read behind
 * the writes that were made before it, but perhaps behind later ones that do not change what it reads.
 */
export interface ZooKeeperClient {
  /** In hex, without prefix. */
  readonly sessionId: string;
  readonly sessionPassword: string;
  /** As negotiated with the server, in milliseconds, and no more than a few times what was asked for. */
  readonly sessionTimeoutMs: number;
  /** The server's `ip:port`. */
  readonly server: string;
  /**
   * How many bytes have come from the server. Absent where a turn of the event loop reads one message, and
   * not all that have come.
   */
  readonly bytesRead?: number;

  /**
   * With the czxid, it was seen to be this session's.
   *
   * @param acl of the node from its creation on. @default open to every client
   * @param rank where it rises, nodes of one directory may be created in one transaction, with one czxid
   * @throws {ZkLockConfigError} where an adapter cannot do what is asked for
   */
  create(path: string, data: Buffer, mode: CreateMode, acl?: Acl, rank?: number): Promise<Created>;
  /**
   * As `create`, of a name that others may use: it is sent by itself, for it may well be refused, and
   * whatever is there already stays as it is.
   *
   * @throws {ZkLockConfigError} where an adapter cannot do what is asked for
   */
  createNew(path: string, data: Buffer, mode: CreateMode, node: NewNode): Promise<Created>;
  /** With `watch`, one event follows when a child comes or goes, or the node itself is deleted. */
  list(path: string, options?: { watch?: boolean }): Promise<string[]>;
  /** With `watch`, one event follows when the node is deleted or its data change. */
  get(path: string, options?: { watch?: boolean }): Promise<NodeContent>;
  exists(path: string): Promise<NodeStat | undefined>;
  /** Replaces the data. With a condition it is sent by itself, for it may well be refused. */
  set(path: string, data: Buffer, condition?: Condition): Promise<NodeStat>;
  /** As `set`, of a condition. */
  delete(path: string, condition?: Condition): Promise<void>;
  /**
   * Sets a watch that stays, for the node and its children, or for all that is below it. Servers before
   * 3.9 know one kind of watch at a time on a path: the latest that was set there, one-shot ones
   * included. Absent where an adapter cannot do it.
   */
  addWatch?(path: string, options: { recursive: boolean }): Promise<void>;
  /** Removes all watches of this connection on the path, one-shot ones included. */
  removeWatches?(path: string): Promise<void>;
  /**
   * Executes all operations at one moment, or none, and is never sent again. Resolves with the paths
   * of the nodes, in the order of the operations. Absent where an adapter cannot do it.
   *
   * @throws {OperationRefusedError} when nothing was done, since one of them cannot be done
   */
  transact?(operations: readonly Operation[]): Promise<readonly string[]>;
  /** Answered by the leader, or who takes itself for it: later reads see what it had committed. */
  sync(path: string): Promise<void>;
  /**
   * A transaction without effect. Its answer proves that the session lived and that the leader still
   * led, for a quorum had to commit it; and later reads see everything committed before.
   */
  proveSession(): Promise<void>;
  /** Whatever follows on this connection is this user's. */
  logIn(user: User): Promise<void>;

  /** Drops the connection and leaves the session, with its ephemeral nodes, alive on the server. */
  abandon(): void;
  /**
   * Waits for the calls in flight, then ends the session; its ephemeral nodes are gone with it.
   * False where the connection was lost before, and the session may live on.
   */
  close(): Promise<boolean>;
}

export interface SessionCredentials {
  readonly id: string;
  readonly password: string;
}

export interface ConnectRequest {
  /** IP literal and port of one server. */
  readonly address: ServerAddress;
  /** Asked for; the server answers within its own limits. */
  readonly sessionTimeoutMs: number;
  /** Give up after this many milliseconds. */
  readonly connectTimeoutMs: number;
  /** The session to attach to; without it a new one is made. */
  readonly session?: SessionCredentials | undefined;
  readonly listener: ClientListener;
}

export interface ServerAddress {
  readonly host: string;
  readonly port: number;
  /** What was looked up to find `host`, an address. */
  readonly name?: string;
}

/** Opens one connection. An adapter for one ZooKeeper library implements this. */
export interface ZooKeeperConnector {
  /** Names the client, for people. */
  readonly description: string;
  /** @throws {ZkLockConfigError} where this adapter cannot work in this process */
  load(): void;
  /**
   * @throws {ZooKeeperError} `session-over` when the session to attach to has ended, `auth`, or
   * `ambiguous` when this server could not be reached in time
   */
  connect(request: ConnectRequest): Promise<ZooKeeperClient>;
}

/** A server may raise what it is asked for to a minimum of its own, which is two ticks by default. */
const MOST_TIMES = 4;

/**
 * How much of a granted session timeout is believed. All timers that watch the server derive from it; a
 * client that asked for seconds must not wait for days. A lease that ends too early is safe.
 */
export function believableTimeoutMs(grantedMs: number, askedMs: number): number {
  return Math.min(grantedMs, MOST_TIMES * askedMs);
}
