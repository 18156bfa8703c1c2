/** The messages between zk-lock and the guard of its command. */
import type { GroupId } from './process-group.js';

export interface Start {
  readonly type: 'start';
  readonly command: string;
  readonly args: readonly string[];
  /** The environment of the command. */
  readonly environment: Readonly<NodeJS.ProcessEnv>;
  /** Whether the command stays in the process group of zk-lock, with its terminal. */
  readonly foreground: boolean;
  readonly killAfterMs: number;
  /** Whether another zk-lock runs zk-lock itself, and kills it when its own lock is lost. */
  readonly isNested?: boolean;
}

export interface LeaseNews {
  readonly type: 'lease';
  /** When the command must be dead unless this message comes again, by {@link monotonicMs}. */
  readonly endsAt: number;
}

export type ToGuard =
  | Start
  | LeaseNews
  | { readonly type: 'signal'; readonly signal: NodeJS.Signals }
  /** SIGTERM, and SIGKILL when `killAfterMs` or the lease is over. */
  | { readonly type: 'end' }
  | { readonly type: 'kill' };

/** How a command ended, including everything left in its process group. */
export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Whether the guard ended it because the lease was about to end. */
  readonly wasLeaseOver: boolean;
  /** Whether zk-lock killed it because another process had killed its guard. */
  readonly wasGuardKilled?: boolean;
  /** When no process of the command was left, by {@link monotonicMs}. */
  readonly endedAt: number;
}

export type FromGuard =
  | ({ readonly type: 'started' } & GroupId)
  /** Processes of the command outlive SIGKILL. */
  | { readonly type: 'outlasts' }
  /** The command could not be started; the code is that of Node's error. */
  | { readonly type: 'refused'; readonly code: string }
  | ({ readonly type: 'ended' } & ChildEnd);

/** Milliseconds of a clock that all processes of the machine share, and that is never set. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}
