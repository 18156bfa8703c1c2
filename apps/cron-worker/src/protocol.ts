import type { ZkLockModuleOptions } from 'nestjs-zk-lock';

/** What a replica is started with, as JSON in the environment. */
export interface CronWorkerOptions {
  readonly zkLock: ZkLockModuleOptions;
  /** The job is due whenever the replica's clock shows a multiple of so many seconds. */
  readonly everySeconds: number;
  readonly minHoldMs: number;
  /** How long the job takes; without it, it is done at once. */
  readonly jobMs?: number;
  /** How late the replica's clock is. */
  readonly lateMs: number;
}

/** What it says, one JSON object a line on its standard output. */
export type Message =
  | { readonly type: 'ready' }
  /** The job was due; `tick` counts its times since the epoch, the same in all replicas. */
  | { readonly type: 'due'; readonly tick: number }
  /** The job has begun. */
  | { readonly type: 'ran'; readonly tick: number };
