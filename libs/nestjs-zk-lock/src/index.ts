export { ZkLockModule } from './nest/zk-lock.module.js';
export type { ZkLockModuleExtras } from './nest/zk-lock.module-definition.js';
export type { ZkLockModuleOptions, ZkLockOptionsFactory } from './nest/zk-lock.options.js';
export { LockService } from './nest/lock.service.js';
export type { LockCounts } from './nest/lock.service.js';
export type { LeaderElection, LockSession } from './nest/observable.js';
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

export {
  LockedDecoratorError,
  LockedSetupError,
  NoCurrentLockError,
  NoCurrentPermitError,
} from './nest/guarded/guarded-errors.js';

export {
  ElectionClosedError,
  LOCK_CHANNELS,
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
  onLockEvents,
  readConnections,
  SharedCountError,
  ZkLockConfigError,
  ZkLockError,
  ZooKeeperError,
  ZooKeeperUnavailableError,
} from 'zk-locks';
export type {
  AclName,
  AcquireOptions,
  AcquireUpgradableOptions,
  CallCounts,
  CallEvent,
  CallKind,
  CensusEvent,
  ClientName,
  CohortMember,
  CohortOptions,
  CohortSight,
  ConnectionReport,
  Contender,
  DialectName,
  ElectionInspection,
  ElectionOptions,
  GuardKind,
  HoldEndEvent,
  HolderData,
  HoldStartEvent,
  InspectOptions,
  LeaderTerm,
  Lock,
  LockEventName,
  LockEvents,
  LockHolder,
  LockInspection,
  LockLossReason,
  LocksOptions as LockManagerOptions,
  LockMode,
  LockTarget,
  MaxWaitingOptions,
  MultiLock,
  Permit,
  PermitHolder,
  PermitOptions,
  PermitWaiter,
  ReleaseMode,
  RequestOutcome,
  Semaphore,
  SemaphoreInspection,
  SemaphoreOptions,
  SessionEvent,
  SessionLossReason,
  SessionSnapshot,
  SessionState,
  SessionStateName,
  SharedCount,
  TryAcquireOptions,
  TryPermitOptions,
  UpgradableLock,
  UpgradeOptions,
  UserScheme,
  WaitEndEvent,
  WaitResult,
  WaitStartEvent,
  WhenLeaderOptions,
} from 'zk-locks';
