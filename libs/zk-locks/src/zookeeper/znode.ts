import type { CreateMode, LastingEvent, NodeStat } from '../client/zookeeper-client.js';

export type { NodeStat as ZnodeStat } from '../client/zookeeper-client.js';

/** The kinds of znode. A number is appended to the path of a `-sequential` one. */
export type ZnodeMode = CreateMode;

/** What a znode holds. */
export interface Znode {
  readonly data: Buffer;
  readonly stat: NodeStat;
}

/**
 * What has happened at a znode: it was created or deleted; its data have changed; a child of it was
 * created or deleted. `gap`: any of these may have been missed, so read what you have to know.
 */
export interface ZnodeEvent {
  readonly type: LastingEvent | 'gap';
  readonly path: string;
}

export interface ZkCallOptions {
  /**
   * The longest wait for an answer, in milliseconds. 0 fails at once where there is no connection.
   * @default the option `connectTimeoutMs` of the connection
   */
  timeoutMs?: number | undefined;
}

export interface ZkWriteOptions extends ZkCallOptions {
  /** Only if the znode has this version, which `set` raises by one. @default whatever it has */
  version?: number | undefined;
}

export interface ZkCreateOptions extends ZkCallOptions {
  /** @default 'persistent' */
  mode?: ZnodeMode | undefined;
  /**
   * Servers delete it when it has had no children and no changes for so many milliseconds. Only of
   * persistent ones, by servers with `zookeeper.extendedTypesEnabled=true`.
   */
  ttlMs?: number | undefined;
}

export interface ZkWatchOptions {
  /** Tells of everything below it as well; creations and deletions in place of `children`. @default false */
  recursive?: boolean | undefined;
  /** There will be no more events: it was closed, or the watch was refused. */
  onEnd?: ((error?: Error) => void) | undefined;
}

/** A plain copy. */
export function toStat(stat: NodeStat): NodeStat {
  const { czxid, mzxid, pzxid, ctime, mtime, ephemeralOwner } = stat;
  const { version, aclVersion, childrenVersion, dataLength, numChildren } = stat;
  return {
    ...{ czxid, mzxid, pzxid, ctime, mtime, ephemeralOwner },
    ...{ version, aclVersion, childrenVersion, dataLength, numChildren },
  };
}
