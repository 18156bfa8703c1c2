import type { CreateMode } from '../port/zookeeper-client.js';

/** The data of a znode. A string is written as UTF-8. */
export type ZnodeData = string | Uint8Array;

export interface VersionOptions {
  /** Writes only if the znode has this version. `set` adds 1 to the version. @default any version */
  version?: number | undefined;
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
