/**
 * The types of the arguments and results of `ZkClient`, and of transactions under a lock, with the
 * error of a refused transaction.
 */
export { OperationRefusedError } from 'zk-locks';
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
