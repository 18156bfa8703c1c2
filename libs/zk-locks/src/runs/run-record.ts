import type { LastRun, RunOutcome } from '../lock/last-run.js';
import { isShort, parseProperties } from '../nodes/holder-data.js';

/** What the record of a run says, as JSON that `zkCli.sh get` shows. */
export interface RunRecord {
  readonly guid: string;
  readonly host: string;
  readonly pid: number;
  readonly application?: string | undefined;
  /** When the runner asked for the lock, by the clock of ZooKeeper's leader, in milliseconds. */
  readonly askedAt: number;
  /** Of the leader whose clock that was: the upper half of its zxids. */
  readonly epoch: number;
  /** How long after that the run was over, by the runner's clock; missing while it goes on. */
  readonly tookMs?: number | undefined;
  readonly outcome: RunOutcome;
  /** How often the runner's job runs, in milliseconds. */
  readonly everyMs: number;
}

const OUTCOMES: readonly unknown[] = ['running', 'done', 'failed'];

export function parseRunRecord(data: Buffer): RunRecord | undefined {
  const { guid, host, pid, application, askedAt, epoch, tookMs, outcome, everyMs } =
    parseProperties(data) as unknown as RunRecord;
  const texts = [guid, host, application ?? ''];
  const numbers = [pid, askedAt, epoch, tookMs ?? 0, everyMs];
  if (!texts.every(isShort)) return undefined;
  const times = [askedAt, askedAt + (tookMs ?? 0), askedAt + everyMs];
  if (times.some((time) => Number.isNaN(new Date(time).getTime()))) return undefined;
  if (!numbers.every(Number.isFinite) || !OUTCOMES.includes(outcome)) return undefined;
  return { guid, host, pid, application, askedAt, epoch, tookMs, outcome, everyMs };
}

export function toLastRun({
  host,
  pid,
  application,
  askedAt,
  tookMs,
  outcome,
  everyMs,
}: RunRecord): LastRun {
  return {
    ...{ host, pid, application, outcome, everyMs },
    since: new Date(askedAt),
    until: tookMs === undefined ? undefined : new Date(askedAt + tookMs),
    nextDue: new Date(askedAt + everyMs),
  };
}

/** By how much a run may be early, as a part of the time: timers and networks are not exact. */
export const TOLERANCE = 0.1;

/** A moment by the clock of the leader of one epoch. */
export interface ServerTime {
  readonly askedAt: number;
  readonly epoch: number;
}

/** Whether a run is due. */
export interface Due {
  readonly isDue: boolean;
  /** Where it is not: the `askedAt` that the record is to have by the present leader's clock. */
  readonly moveTo?: number;
}

/**
 * Whether so much time had passed since the latest run, when the lock was asked for, that the next one may
 * begin. The wait for the lock does not count: the next record has the time of the question.
 *
 * The clocks of two leaders may differ by anything, and a clock that was set back shows a run in the
 * future. The time is then what this process has measured itself since it first saw the record: no
 * more than has passed. The record is moved by that, so that the present leader's clock tells from now
 * on.
 *
 * @param knownMs for how long the process had known the record when it asked for the lock; 0 if it
 * first saw it later
 */
export function dueAfter(last: ServerTime, now: ServerTime, everyMs: number, knownMs: number): Due {
  const leastMs = everyMs * (1 - TOLERANCE);
  const byServer = now.askedAt - last.askedAt;
  const isComparable = now.epoch === last.epoch && byServer >= 0;
  if (isComparable) return { isDue: Math.max(byServer, knownMs) >= leastMs };
  if (knownMs >= leastMs) return { isDue: true };
  return { isDue: false, moveTo: now.askedAt - knownMs };
}
