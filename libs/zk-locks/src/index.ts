export { Locks } from './facade/locks.js';
export { currentLock } from './grant/async-scope.js';
export { currentPermit } from './semaphore/held-permit.js';
export type { LocksOptions } from './options/locks-options.js';
export type {
  AclName,
  RequestOutcome,
  SessionLossReason,
  SessionSettings,
  SessionState,
  Transaction,
  TransactionCreateMode,
  TransactionCreateOptions,
  VersionOptions,
  ZkCallOptions,
  ZkCreateOptions,
  ZkLockLogger,
  ZkWatchOptions,
  ZkWriteOptions,
  Znode,
  ZnodeData,
  ZnodeEvent,
  ZnodeMode,
  ZnodeStat,
} from 'zk-client';
export {
  type AccessRefusal,
  type LockSession,
  OperationRefusedError,
  type SessionSnapshot,
  type UserScheme,
  ZkClient,
  ZkClosedError,
  ZkLockConfigError,
  ZkLockError,
  ZooKeeperError,
  ZooKeeperUnavailableError,
} from 'zk-client/recipes';
export type { CohortOptions } from './options/cohort-options.js';
export type { MaxWaitingOptions } from './options/limits.js';
export type * from './lock/lock.js';
export type { LastRun, RunOutcome } from './lock/last-run.js';
export type { RunOptions, RunResult } from './runs/runs.js';
export type { MultiLock } from './multi/multi-lock.js';
export type { LockTarget } from './options/call-options.js';
export type { ElectionOptions, WhenLeaderOptions } from './options/election-options.js';
export type { ElectionInspection, LeaderElection } from './election/leader-election.js';
export type { LeaderTerm } from './election/leader-term.js';
export type {
  CohortMember,
  CohortSight,
  Contender,
  LockInspection,
} from './inspection/inspection.js';
export type * from './semaphore/semaphore.js';
export type {
  PermitOptions,
  SemaphoreOptions,
  SharedCount,
  TryPermitOptions,
} from './options/permit-options.js';
export type { DeadlockReport } from './inspection/deadlocks.js';
export type { HolderData } from './lock/holder.js';
export type { DialectName } from './nodes/dialect.js';

export * from './lock/lock-errors.js';
export type { LockKind } from './lock/lock-kind.js';
export type { Deadlock, DeadlockedCall } from './lock/deadlock.js';
export type { ClientName } from './options/client-name.js';
