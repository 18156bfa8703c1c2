import type { ZkLockModuleOptions } from 'nestjs-zk-lock';

/** What a crowd is started with. */
export interface CrowdOptions {
  readonly size: number;
  readonly module: ZkLockModuleOptions;
  /** What all of them hold, for reading. */
  readonly key: string;
}

/** What a crowd can be told; the first report comes once everybody is there. */
export interface CrowdCommands {
  report(): CrowdReport;
}

export interface CrowdReport {
  readonly size: number;
  /** Who was told of the loss of its lock. */
  readonly lost: number;
  /** Who has a connection now, and has lost one before. */
  readonly reconnected: number;
}
