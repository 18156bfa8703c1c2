import type { ZkLockModuleOptions } from 'nestjs-zk-lock';

/** The options of a replica. */
export interface CronWorkerOptions {
  readonly zkLock: ZkLockModuleOptions;
  /** The job is due whenever the replica's clock shows a multiple of this many seconds. */
  readonly everySeconds: number;
  readonly minHoldMs: number;
  /** How late the replica's clock is. */
  readonly lateMs: number;
}

/**
 * Its messages: the job was `due`, or has begun (`ran`). `tick` counts the job's times since the
 * epoch, the same in all replicas.
 */
export interface News {
  readonly type: 'due' | 'ran';
  readonly tick: number;
}
