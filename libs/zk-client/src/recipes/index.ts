/**
 * The foundation of recipes such as zk-locks: a session, its requests and its lease, and helpers
 * for them.
 */
export { cleanText, shortText } from '../clean-text.js';
export { askWord } from '../connection/channel/why-not-serving.js';
export { membersInJson, printAsJson, withJson } from '../json.js';
export * from '../listeners.js';
export { guardLogger, silentLogger, type ZkLockLogger } from '../logger.js';
export {
  hasReturnCode,
  isAmbiguous,
  isConnectionError,
  OperationRefusedError,
  orIfGone,
  ReturnCode,
  ZooKeeperError,
} from '../port/client-errors.js';
export { formatAddress, parseConnectString } from '../port/connect-string.js';
export { accessRemedy, type Identity, nameIdentity } from '../port/identity.js';
export { isPathCharacter, isWithin, join, nameOf, parentOf } from '../port/node-path.js';
export { User, type UserScheme } from '../port/user.js';
export { WireConnector } from '../connection/wire-connector.js';
export type {
  Created,
  LastingEvent,
  NodeContent,
  NodeEvent,
  NodeStat,
  Operation,
  ZooKeeperConnector,
} from '../port/zookeeper-client.js';
export { clearTimeout, nextTick, performance, setImmediate, setTimeout } from '../real-time.js';
export { backoffDelay } from '../session/backoff.js';
export { Feed } from '../session/feed.js';
export type { NodeListener } from '../session/node-watches.js';
export { MOST_DATA_BYTES, readShort } from '../session/read-short.js';
export {
  type LeaseListener,
  type LeaseLossReason,
  LeaseValidity,
  SessionLease,
} from '../session/session-lease.js';
export { describeRefusal, refusesNewNodes } from '../session/access.js';
export type {
  AccessRefusal,
  LockSession,
  SessionSnapshot,
  SessionState,
} from '../session/session-state.js';
export { Session } from '../session/session.js';
export {
  messageWithoutLink,
  printBriefly,
  ZkClosedError,
  ZooKeeperUnavailableError,
  ZkLockConfigError,
  ZkLockError,
} from '../zk-lock-error.js';
export {
  askOnAnySession,
  askOrMake,
  retryUntilAnswered,
  SessionOverError,
  tryAgain,
} from '../certain/ask.js';
export {
  type Attempt,
  createForCertain,
  createNode,
  ensureNode,
  type NewNode,
} from '../certain/create.js';
export { countNode } from '../certain/session-nodes.js';
export {
  NodeRemover,
  type Removal,
  type RemovalListener,
  type RemovalListeners,
} from '../certain/node-remover.js';
export { ageText, countText, shortAgeText } from '../count-text.js';
export * from '../options/client-options.js';
export { MAX_COUNT, MAX_LABEL_LENGTH, MAX_TIMER_MS } from '../limits.js';
export * from '../option.js';
export { CLIENT_OPTIONS, ownPath, SESSION_OPTIONS } from '../options/table.js';
export { outsideOfLocks, readTransaction, UserPaths } from '../znodes/transaction-options.js';
export type { Transaction } from '../znodes/znode.js';
export { ZkClient } from '../znodes/zk-client.js';
export { Znodes } from '../znodes/znodes.js';
export * from '../session/wait.js';
export { shellWord } from '../shell-word.js';
