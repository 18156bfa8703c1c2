export { ZkLockModule } from './nest/zk-lock.module.js';
export type { CohortOptions } from './locks/cohort/cohort-options.js';
export type { MaxWaitingOptions } from './locks/holding/waiting-calls.js';
export type { ZkLockModuleExtras } from './nest/zk-lock.module-definition.js';
export type { ZkLockModuleOptions, ZkLockOptionsFactory } from './nest/zk-lock.options.js';
export { LockService } from './nest/lock.service.js';
export type { LockCounts, LockSession } from './nest/lock.service.js';
export { InjectLockService, getLockServiceToken } from './nest/inject-lock-service.decorator.js';
export type { FeatureSemaphore, ZkLockFeatureOptions } from './nest/feature/feature.options.js';
export {
  InjectElection,
  InjectSemaphore,
  getElectionToken,
  getSemaphoreToken,
} from './nest/feature/feature-tokens.js';

export { Locked } from './nest/locked/locked.decorator.js';
export type { LockedDecorator } from './nest/locked/locked.decorator.js';
export type { LockedOptions } from './nest/locked/locked.options.js';
export { WithPermit } from './nest/permit/with-permit.decorator.js';
export type { WithPermitDecorator } from './nest/permit/with-permit.decorator.js';
export type { WithPermitOptions } from './nest/permit/with-permit.options.js';
export { currentPermit } from './nest/permit/current-permit.js';
export type { OnBusy } from './nest/guarded/on-busy.js';
export type { LockableMethod } from './nest/guarded/lockable-method.js';
export type { LockKey, LockKeys } from './nest/guarded/lock-key.js';
export { OnlyLeader } from './nest/leader/only-leader.decorator.js';
export type { OnlyLeaderDecorator } from './nest/leader/only-leader.decorator.js';
export type { OnlyLeaderOptions } from './nest/leader/only-leader.options.js';
export { CurrentLock } from './nest/locked/current-lock.decorator.js';
export { currentLock } from './nest/locked/current-lock.js';

export { LockedInterceptor } from './nest/guarded/locked.interceptor.js';
export { LockErrorsInterceptor } from './nest/errors/lock-errors.interceptor.js';

export type {
  AcquireOptions,
  AcquireUpgradableOptions,
  InspectOptions,
  Lock,
  LockMode,
  ReleaseMode,
  TryAcquireOptions,
  UpgradableLock,
  UpgradeOptions,
} from './locks/lock.js';
export type { LockTarget, MultiLock } from './locks/multi/multi-lock.js';
export type { ElectionOptions, WhenLeaderOptions } from './locks/election/election-options.js';
export type { ElectionInspection, LeaderElection } from './locks/election/leader-election.js';
export type { LeaderTerm } from './locks/election/leader-term.js';
export type {
  CohortMember,
  CohortSight,
  Contender,
  LockInspection,
} from './locks/inspection/inspection.js';
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
} from './locks/semaphore/semaphore.js';
export type { HolderData } from './locks/queue/holder-data.js';
export type { DialectName } from './locks/queue/dialect.js';
export type { AclName, LockManagerOptions } from './locks/lock-manager-options.js';
export type { SessionLossReason, SessionSnapshot, SessionState } from './session/session-state.js';

export { LOCK_CHANNELS, onLockEvents, readConnections } from './telemetry/channels.js';
export type { LockEventName, LockEvents } from './telemetry/channels.js';
export type {
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

export { ZkLockConfigError, ZkLockError } from './zk-lock-error.js';
export {
  ElectionClosedError,
  LockAbortedError,
  LockAccessError,
  LockDirectoryError,
  LockHoldTimeoutError,
  LockKeyError,
  LockLostError,
  LockQueueFullError,
  LockReleasedError,
  LockRevokedError,
  LockServiceClosedError,
  LockTimeoutError,
  LockUpgradeError,
  NotLeaderError,
  SharedCountError,
  ZooKeeperUnavailableError,
} from './locks/lock-errors.js';
export type { GuardKind, LockHolder, LockLossReason } from './locks/lock-errors.js';
export {
  LockedDecoratorError,
  LockedSetupError,
  NoCurrentLockError,
  NoCurrentPermitError,
} from './nest/guarded/guarded-errors.js';
export { ZooKeeperError } from './client/client-errors.js';
export type { RequestOutcome } from './client/client-errors.js';
export type { ClientName } from './client/client-name.js';
export type { UserScheme } from './client/user.js';
