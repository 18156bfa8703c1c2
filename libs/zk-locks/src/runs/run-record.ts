import type { LastRun, RunOutcome } from '../lock/last-run.js';
import { isShort, parseProperties } from '../nodes/holder-data.js';

/** The content of a run's record, as JSON (`zkCli.sh get` shows it). */
export interface RunRecord {
  readonly guid: string;
  readonly host: string;
  readonly pid: number;
  readonly application?: string | undefined;
  /**
   * When the runner asked for the lock, by the clock of ZooKeeper's leader, in milliseconds. After a
   * change of leader, {@link dueAfter} moves it to the time by the next leader's clock.
   */
  readonly askedAt: number;
  /** The original `askedAt`, if it was moved; by the current leader's clock, the run was not later. */
  readonly ranAt?: number | undefined;
  /** The epoch of that leader: the upper half of its zxids. */
  readonly epoch: number;
  /** How long after that the run ended, by the runner's clock; absent while it continues. */
  readonly tookMs?: number | undefined;
  readonly outcome: RunOutcome;
  /** How often the runner's job runs, in milliseconds. */
  readonly everyMs: number;
}

const OUTCOMES: readonly unknown[] = ['running', 'done', 'failed'];

export function parseRunRecord(data: Buffer): RunRecord | undefined {
  const { guid, host, pid, application, askedAt, ranAt, epoch, tookMs, outcome, everyMs } =
    parseProperties(data) as unknown as RunRecord;
  const since = ranAt ?? askedAt;
  const texts = [guid, host, application ?? ''];
  const numbers = [pid, askedAt, since, epoch, tookMs ?? 0, everyMs];
  if (!texts.every(isShort)) return undefined;
  const times = [since, since + (tookMs ?? 0), askedAt, askedAt + everyMs];
  if (times.some((time) => Number.isNaN(new Date(time).getTime()))) return undefined;
  if (!numbers.every(Number.isFinite) || !OUTCOMES.includes(outcome)) return undefined;
  return {
    ...{ guid, host, pid, application, askedAt, epoch, outcome, everyMs },
    ...{ ranAt: ranAt ?? undefined, tookMs: tookMs ?? undefined },
  };
}

export function toLastRun({
  host,
  pid,
  application,
  askedAt,
  ranAt = askedAt,
  tookMs,
  outcome,
  everyMs,
}: RunRecord): LastRun {
  return {
    ...{ host, pid, application, outcome, everyMs },
    since: new Date(ranAt),
    until: tookMs === undefined ? undefined : new Date(ranAt + tookMs),
    nextDue: new Date(askedAt + everyMs),
  };
}

/** How early a run may start, as a fraction of the interval, because timers and networks are not exact. */
export const TOLERANCE = 0.1;

/** A time by the clock of one epoch's leader. */
export interface ServerTime {
  readonly askedAt: number;
  readonly epoch: number;
}

/** Whether a run is due. */
export interface Due {
  readonly isDue: boolean;
  /** If it is not due: the `askedAt` that the record should have by the current leader's clock. */
  readonly moveTo?: number;
}

/**
 * Whether the interval had passed when the call asked for the lock, so that the next run may begin. The
 * wait for the lock does not count, because the next record also has the time of asking.
 *
 * The clocks of two leaders may differ by any amount, and a clock that was set back shows a run in the
 * future. In these cases, the elapsed time is what this process has measured since it first saw the
 * record, which is never too much. The `askedAt` of the record is moved accordingly, so that the current
 * leader's clock can be used from then on.
 *
 * @param knownMs how long the process had known the record when it asked for the lock; 0 if it first
 * saw the record later
 */
export function dueAfter(last: ServerTime, now: ServerTime, everyMs: number, knownMs: number): Due {
  const leastMs = everyMs * (1 - TOLERANCE);
  const byServer = now.askedAt - last.askedAt;
  const isComparable = now.epoch === last.epoch && byServer >= 0;
  if (isComparable) return { isDue: Math.max(byServer, knownMs) >= leastMs };
  if (knownMs >= leastMs) return { isDue: true };
  return { isDue: false, moveTo: now.askedAt - knownMs };
}
