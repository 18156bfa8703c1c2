export { Locks } from './locks.js';
export type { LocksOptions } from './options/locks-options.js';
export type { AclName, SessionSettings } from 'zk-client/recipes';
export type { ZkLockLogger } from 'zk-client/recipes';
export type { CohortOptions } from './cohort/cohort-options.js';
export type { MaxWaitingOptions } from './options/limits.js';
export type {
  AcquireOptions,
  AcquireUpgradableOptions,
  BreakOptions,
  InspectOptions,
  Lock,
  LockMode,
  ReleaseMode,
  TryAcquireOptions,
  UpgradableLock,
  UpgradeOptions,
} from './lock.js';
export type {
  NodeData,
  Transaction,
  TransactionCreateMode,
  TransactionCreateOptions,
  VersionOptions,
} from 'zk-client/recipes';
export { ZkClient } from 'zk-client/recipes';
export type {
  ZkCallOptions,
  ZkCreateOptions,
  ZkWatchOptions,
  ZkWriteOptions,
  Znode,
  ZnodeEvent,
  ZnodeMode,
  ZnodeStat,
} from 'zk-client/recipes';
export type { LastRun, RunOptions, RunResult } from './runs/runs.js';
export type { RunOutcome } from './runs/run-record.js';
export type { MultiLock } from './multi/multi-lock.js';
export type { LockTarget } from './options/call-options.js';
export type { ElectionOptions, WhenLeaderOptions } from './election/election-options.js';
export type { ElectionInspection, LeaderElection } from './election/leader-election.js';
export type { LeaderTerm } from './election/leader-term.js';
export type {
  CohortMember,
  CohortSight,
  Contender,
  LockInspection,
} from './inspection/inspection.js';
export type {
  Permit,
  PermitHolder,
  PermitOptions,
  PermitWaiter,
  Semaphore,
  SemaphoreInspection,
  SemaphoreOptions,
  SharedCount,
  TryPermitOptions,
} from './semaphore/semaphore.js';
export type { DeadlockReport } from './inspection/deadlocks.js';
export type { HolderData } from './queue/holder-data.js';
export type { DialectName } from './queue/dialect.js';
export type {
  AccessRefusal,
  LockSession,
  SessionLossReason,
  SessionSnapshot,
  SessionState,
} from 'zk-client/recipes';

export { LOCK_CHANNELS, onLockEvents, readConnections } from './telemetry/channels.js';
export type { LockEventName, LockEvents } from './telemetry/channels.js';
export type {
  Breaker,
  BreakEvent,
  ActionEvent,
  CallCounts,
  CallEvent,
  CallKind,
  CensusEvent,
  ConnectionReport,
  HoldEndEvent,
  HoldStartEvent,
  SessionEvent,
  SessionStateName,
  WaitEndEvent,
  WaitResult,
  WaitStartEvent,
} from './telemetry/events.js';

export { ZkLockConfigError, ZkLockError } from 'zk-client/recipes';
export {
  ElectionClosedError,
  LockAbortedError,
  LockAccessError,
  LockDirectoryError,
  LockHoldTimeoutError,
  LockKeyError,
  LockLostError,
  LockNotBrokenError,
  LockQueueFullError,
  LockReleasedError,
  LockRevokedError,
  LockTimeoutError,
  LockTransactionUnknownError,
  LockUpgradeError,
  NotLeaderError,
  SharedCountError,
} from './lock-errors.js';
export { ZkClosedError, ZooKeeperUnavailableError } from 'zk-client/recipes';
export type { GuardKind } from './guard-kind.js';
export type { Deadlock, DeadlockedCall, LockHolder, LockLossReason } from './lock-errors.js';
export { ZooKeeperError } from 'zk-client/recipes';
export type { RequestOutcome } from 'zk-client/recipes';
export type { ClientName } from './options/client-name.js';
export type { UserScheme } from 'zk-client/recipes';
