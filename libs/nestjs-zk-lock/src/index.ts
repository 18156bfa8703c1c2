export { ZkLockModule } from './zk-lock.module.js';
export type { ZkLockModuleOptions, ZkLockOptionsFactory } from './zk-lock.options.js';
export { LockService } from './lock.service.js';
export type { LockCounts } from './lock.service.js';
export type { LeaderElection, LockSession } from './observable.js';
export { ZkClient } from './zk-client.js';
export { InjectZkClient, getZkClientToken } from './inject-zk-client.decorator.js';
export { InjectLockService, getLockServiceToken } from './inject-lock-service.decorator.js';
export type { FeatureSemaphore, ZkLockFeatureOptions } from './feature/feature.options.js';
export {
  InjectElection,
  InjectSemaphore,
  getElectionToken,
  getSemaphoreToken,
} from './feature/feature-tokens.js';
export { Locked } from './decorators/locked.decorator.js';
export type { LockedDecorator } from './decorators/locked.decorator.js';
export type { LockedOptions } from './decorators/locked.options.js';
export { WithPermit } from './decorators/with-permit.decorator.js';
export type { WithPermitDecorator, WithPermitOptions } from './decorators/with-permit.decorator.js';
export { CurrentLock } from './decorators/current.js';
export type { OnBusy } from './decorators/definition.js';
export type { LockKey, LockKeys } from './key/lock-key.js';
export { OnlyLeader } from './decorators/only-leader.decorator.js';
export type { OnlyLeaderDecorator, OnlyLeaderOptions } from './decorators/only-leader.decorator.js';
export { LockedInterceptor } from './decorators/locked.interceptor.js';
export { LockErrorsInterceptor } from './transport/lock-errors.interceptor.js';
export { LockedDecoratorError, LockedSetupError } from './decorators/decorator-errors.js';

export {
  currentLock,
  currentPermit,
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
  ZkClosedError,
  LockTimeoutError,
  LockTransactionUnknownError,
  LockUpgradeError,
  NoCurrentLockError,
  NoCurrentPermitError,
  NotLeaderError,
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
  ClientName,
  CohortOptions,
  DialectName,
  ElectionOptions,
  LockKind,
  LeaderTerm,
  Lock,
  LockHolder,
  LockLossReason,
  LockMode,
  LockTarget,
  MultiLock,
  Permit,
  PermitOptions,
  ReleaseMode,
  Semaphore,
  RunOptions,
  RunResult,
  SemaphoreOptions,
  SessionState,
  SharedCount,
  TryAcquireOptions,
  TryPermitOptions,
  UpgradableLock,
  UpgradeOptions,
  UserScheme,
  WhenLeaderOptions,
} from 'zk-locks';
