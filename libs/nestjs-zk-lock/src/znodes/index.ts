/** The types of the arguments and results of `ZkClient`, and of transactions under a lock. */
export type {
  RequestOutcome,
  Transaction,
  TransactionCreateMode,
  TransactionCreateOptions,
  VersionOptions,
  ZkCallOptions,
  ZkCreateOptions,
  ZkWatchOptions,
  ZkWriteOptions,
  Znode,
  ZnodeData,
  ZnodeEvent,
  ZnodeMode,
  ZnodeStat,
} from 'zk-locks';
