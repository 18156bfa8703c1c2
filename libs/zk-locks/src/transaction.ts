import type { CreateMode } from './client/zookeeper-client.js';

/** What a znode is to hold. A text is written as UTF-8. */
export type NodeData = string | Uint8Array;

export interface VersionOptions {
  /** Only if the znode has this version, which `set` raises by one. @default whatever it has */
  version?: number | undefined;
}

/** Writes that ZooKeeper executes all at one moment, or none of them, in the order of the calls. */
export interface Transaction {
  /**
   * Creates a znode that stays.
   *
   * @param data @default none
   */
  create(path: string, data?: NodeData, options?: TransactionCreateOptions): this;
  /** Replaces what a znode holds. */
  set(path: string, data: NodeData, options?: VersionOptions): this;
  /** Deletes a znode without children. */
  delete(path: string, options?: VersionOptions): this;
  /** Demands that a znode exists; writes nothing. */
  check(path: string, options?: VersionOptions): this;
}

export interface TransactionCreateOptions {
  /** Of a `persistent-sequential` one the number is appended to its path. @default 'persistent' */
  mode?: TransactionCreateMode | undefined;
}

export type TransactionCreateMode = Exclude<CreateMode, 'ephemeral' | 'ephemeral-sequential'>;
