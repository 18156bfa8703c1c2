export * from './connection/index.js';
export { connect, ConnectedZkClient, type ConnectOptions } from './znodes/connect.js';
export { ZkClient } from './znodes/zk-client.js';
export type * from './znodes/znode.js';
export type { AclName, SessionSettings } from './options/client-options.js';
export type { SessionLossReason, SessionState } from './session/session-state.js';
export type { ZkLockLogger } from './logger.js';
export { type Acl, type AclEntry, User, type UserScheme } from './port/user.js';
export type {
  ClientEnd,
  ClientListener,
  Condition,
  Created,
  CreateMode,
  LastingEvent,
  NewNode,
  NodeContent,
  NodeEvent,
  NodeStat,
  Operation,
  SessionCredentials,
  ZooKeeperClient,
} from './port/zookeeper-client.js';
export {
  OperationRefusedError,
  type RequestOutcome,
  ZooKeeperError,
} from './port/client-errors.js';
export {
  ZkClosedError,
  ZkLockConfigError,
  ZkLockError,
  ZooKeeperUnavailableError,
} from './zk-lock-error.js';
