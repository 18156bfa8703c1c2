import type { CreateMode, LastingEvent, NodeStat } from '../port/zookeeper-client.js';

export type { NodeStat as ZnodeStat } from '../port/zookeeper-client.js';

/** The kinds of znode. `-sequential` appends a number to the path. */
export type ZnodeMode = CreateMode;

/** The data of a znode. A string is written as UTF-8. */
export type ZnodeData = string | Uint8Array;

/** The data and the stat of a znode. */
export interface Znode {
  readonly data: Buffer;
  readonly stat: NodeStat;
}

/**
 * A change of a znode: it was created or deleted, its data changed, or a child was created or
 * deleted (`children`). `gap` means that events may have been missed, so read the znode.
 */
export interface ZnodeEvent {
  readonly type: LastingEvent | 'gap';
  readonly path: string;
}

export interface ZkCallOptions {
  /**
   * The longest wait for an answer, in milliseconds. With 0, the call rejects immediately if there
   * is no connection when it is made; otherwise, `connectTimeoutMs` applies.
   * @default the option `connectTimeoutMs` of the connection
   */
  timeoutMs?: number | undefined;
}

export interface VersionOptions {
  /** Writes only if the znode has this version. `set` adds 1 to the version. @default any version */
  version?: number | undefined;
}

export interface ZkWriteOptions extends ZkCallOptions, VersionOptions {}

export interface ZkCreateOptions extends ZkCallOptions {
  /** @default 'persistent' */
  mode?: ZnodeMode | undefined;
  /**
   * Servers delete the znode after this time without children and changes, in milliseconds. Only
   * for persistent znodes, on servers with `zookeeper.extendedTypesEnabled=true`.
   */
  ttlMs?: number | undefined;
}

export interface ZkWatchOptions {
  /**
   * Also reports changes below the znode, as `created` and `deleted` instead of `children`.
   * @default false
   */
  recursive?: boolean | undefined;
  /** Called after the last event: the client was closed, or the watch was refused (`error`). */
  onEnd?: ((error?: Error) => void) | undefined;
}

/** Writes that ZooKeeper executes together or not at all, in the order of the calls. */
export interface Transaction {
  /**
   * Creates a persistent znode.
   *
   * @param data @default none
   */
  create(path: string, data?: ZnodeData, options?: TransactionCreateOptions): this;
  /** Replaces the data of a znode. */
  set(path: string, data: ZnodeData, options?: VersionOptions): this;
  /** Deletes a znode without children. */
  delete(path: string, options?: VersionOptions): this;
  /** Requires that a znode exists; writes nothing. */
  check(path: string, options?: VersionOptions): this;
}

export interface TransactionCreateOptions {
  /** `persistent-sequential` appends a number to the path. @default 'persistent' */
  mode?: TransactionCreateMode | undefined;
}

export type TransactionCreateMode = Exclude<CreateMode, 'ephemeral' | 'ephemeral-sequential'>;
