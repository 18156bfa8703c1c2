/**
 * What recipes such as zk-locks are built on: a session, its requests and its lease, and the small things
 * that go with them.
 */
export { cleanText } from '../clean-text.js';
export { membersInJson, withJson } from '../json.js';
export {
  callAll,
  type InLine,
  LazySignal,
  Line,
  LinkedSignal,
  listenForAbort,
  newSharedController,
  unlistenForAbort,
} from '../listeners.js';
export { guardLogger, silentLogger, type ZkLockLogger } from '../logger.js';
export {
  hasReturnCode,
  isAmbiguous,
  isConnectionError,
  OperationRefusedError,
  type RequestOutcome,
  ReturnCode,
  ZooKeeperError,
} from '../port/client-errors.js';
export {
  type ConnectString,
  findServersProblem,
  formatAddress,
  parseConnectString,
} from '../port/connect-string.js';
export { accessRemedy, type Identity, nameIdentity } from '../port/identity.js';
export { checkPath, isPathCharacter, isWithin, join, nameOf, parentOf } from '../port/node-path.js';
export { User, USER_SCHEMES, type UserScheme } from '../port/user.js';
export { WireConnector } from '../port/wire/wire-connector.js';
export type {
  Created,
  CreateMode,
  LastingEvent,
  NodeContent,
  NodeEvent,
  NodeStat,
  Operation,
  ZooKeeperConnector,
} from '../port/zookeeper-client.js';
export {
  clearImmediate,
  clearTimeout,
  nextTick,
  performance,
  setImmediate,
  setTimeout,
} from '../real-time.js';
export { backoffDelay } from './backoff.js';
export { Feed } from './feed.js';
export { type LeaseListener, type LeaseLossReason, LeaseValidity } from './lease-validity.js';
export type { LastingWatchListener, NodeListener } from './node-watches.js';
export { MOST_DATA_BYTES, readShort } from './read-short.js';
export { SessionLease } from './session-lease.js';
export {
  ensureNode,
  orIfGone,
  retryUntilAnswered,
  SessionOverError,
  untilReconnected,
} from './session-requests.js';
export type {
  AccessRefusal,
  LockSession,
  SessionLossReason,
  SessionSnapshot,
  SessionState,
} from './session-state.js';
export { Session } from './session.js';
export { messageWithoutLink, ZkLockConfigError, ZkLockError } from '../zk-lock-error.js';
