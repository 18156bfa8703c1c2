import { sessionsIn } from './four-letter-word.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { machineTime } from '../workers/soak/journal.js';
import { waitFor } from './wait-for.js';
import type { ZooKeeperServer } from './zookeeper-server.js';

/** A leader, a follower that has a session, and their timeouts in milliseconds. */
export interface Reports {
  readonly leader: ZooKeeperServer;
  readonly follower: ZooKeeperServer;
  readonly tickTimeMs: number;
  readonly timeoutMs: number;
}

/** How long before a report the server is cut off, so that the report is lost. */
const BEFORE_MS = 150;
/** How long after its timeout the leader ends the session. */
const CLOSE_MS = 80;
/** How long after an observer's report the follower sends its own. */
const BEHIND_MS = 60;
/** The accuracy with which reports are timed. */
const TOLERANCE_MS = 40;

const SESSION = /sid=(0x[0-9a-f]+)/g;

/**
 * Produces the shortest life of a session on a follower that is cut off. The follower reports its
 * sessions every half tick, and the leader ends them at the multiples of its tick, on the clock of
 * `machineTime`. From then on, a report of such a session comes just before `timeoutMs` of a
 * multiple.
 */
export async function alignReports(reports: Reports): Promise<void> {
  const { tickTimeMs, timeoutMs } = reports;
  await shiftReports(reports, (due) => roundedUpMs(due, timeoutMs, tickTimeMs / 2) - CLOSE_MS);
}

/**
 * Makes the follower report just after an observer has reported to it. The observer must have no
 * other clients during this.
 */
export async function alignWithObserver(
  reports: Reports,
  bytesFromObserver: () => Promise<number>,
): Promise<void> {
  const before = await bytesFromObserver();
  const reported = async (): Promise<number | undefined> => {
    const askedAt = machineTime();
    return (await bytesFromObserver()) === before ? undefined : askedAt;
  };
  const wait = { timeoutMs: 60_000, intervalMs: 5 };
  const reportedAt = await waitFor(reported, { what: 'the report of an observer', ...wait });
  await shiftReports(reports, (due) => reportedAt + BEHIND_MS - due);
}

/** Stops the leader for a part of half a tick. Followers answer its pings with reports. */
async function shiftReports(reports: Reports, shiftOf: (due: number) => number): Promise<void> {
  const period = reports.tickTimeMs / 2;
  for (let tries = 0; tries < 5; tries++) {
    let due = await reportTime(reports);
    const shift = ((shiftOf(due) % period) + period) % period;
    if (Math.min(shift, period - shift) < TOLERANCE_MS) return;
    while (due - BEFORE_MS < machineTime()) due += period;
    await sleep(due - BEFORE_MS - machineTime());
    await reports.leader.pause();
    await sleep(due + shift - machineTime());
    reports.leader.resume();
  }
}

/** The next session timeout to which the leader adds almost nothing, counted from a report. */
export async function exactTimeoutMs(reports: Reports): Promise<number> {
  const { tickTimeMs, timeoutMs } = reports;
  const period = tickTimeMs / 2;
  const more = roundedUpMs(await reportTime(reports), timeoutMs, period) - CLOSE_MS;
  return Math.round(timeoutMs + (more < 0 ? more + period : more));
}

/**
 * Resolves at the worst moment for a cut, once reports are aligned: just before a report, when the
 * previous report gives a session no more than its timeout.
 */
export async function untilReportIsDue(reports: Reports): Promise<void> {
  const period = reports.tickTimeMs / 2;
  const worst = await worstReport(reports, BEFORE_MS - period);
  await sleep(worst + period - BEFORE_MS - machineTime());
}

/**
 * The time of a report that gives a session no more than its timeout, once reports are aligned.
 *
 * @param noticeMs how long before it to resolve; negative for after
 */
export async function worstReport(reports: Reports, noticeMs: number): Promise<number> {
  const { tickTimeMs, timeoutMs } = reports;
  let report = await reportTime(reports);
  const isWorst = (): boolean =>
    report - noticeMs > machineTime() &&
    roundedUpMs(report, timeoutMs, tickTimeMs) < tickTimeMs / 2;
  while (!isWorst()) report += tickTimeMs / 2;
  return report;
}

/**
 * The time of a follower's report, found by a session whose end changes in the leader's own list,
 * as it does at every second report.
 */
async function reportTime({ leader, follower }: Reports): Promise<number> {
  const wait = { timeoutMs: 60_000, intervalMs: 5 };
  const endOf = async (session: string): Promise<string> =>
    endOfSession(await leader.fourLetterWord('dump'), session);
  // A session without ephemeral nodes may exist only on the follower, and a new one may end soon.
  const known = async (): Promise<{ session: string; end: string } | undefined> => {
    for (const [, session = ''] of (await follower.fourLetterWord('cons')).matchAll(SESSION)) {
      const end = await endOf(session);
      if (end !== '') return { session, end };
    }
    return undefined;
  };
  const { session, end } = await waitFor(known, { what: 'a session of the follower', ...wait });
  const seen = async (): Promise<number | undefined> => {
    const askedAt = machineTime();
    return (await endOf(session)) === end ? undefined : askedAt;
  };
  return waitFor(seen, { what: 'a report', ...wait });
}

/** The time, to the second, at which the leader's list says that the session ends. */
function endOfSession(dump: string, session: string): string {
  const sets = sessionsIn(dump).split(/^(?=\d+ expire at )/m);
  return sets.find((set) => set.includes(session))?.split('\n', 1)[0] ?? '';
}

/** The time from `reportedAt + timeoutMs` to the next multiple of the tick. */
function roundedUpMs(reportedAt: number, timeoutMs: number, tickTimeMs: number): number {
  return tickTimeMs - ((reportedAt + timeoutMs) % tickTimeMs);
}
