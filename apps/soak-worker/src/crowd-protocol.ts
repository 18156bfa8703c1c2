import type { ZkLockModuleOptions } from 'nestjs-zk-lock';

/** What a crowd is started with, as JSON in the environment. */
export interface CrowdOptions {
  readonly size: number;
  readonly module: ZkLockModuleOptions;
  /** What all of them hold, for reading. */
  readonly key: string;
}

/** Said once everybody is there, and after each line on standard input. */
export interface CrowdReport {
  readonly size: number;
  /** Who was told of the loss of its lock. */
  readonly lost: number;
  /** Who has a connection now, and has lost one before. */
  readonly reconnected: number;
}
