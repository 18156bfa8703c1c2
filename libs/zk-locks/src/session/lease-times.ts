import { ZkLockConfigError } from '../zk-lock-error.js';

/** The period of the heartbeat, as a part of the session timeout. */
const HEARTBEAT = 1 / 10;

/** A healthy session's lease is renewed by the third heartbeat behind a request: see {@link LeaseDeadline}. */
const HEARTBEATS = 3;

/** Kept back from every deadline, for clocks that run at different rates and timers that fire late. */
const MARGIN = 1 / 20;

/** Between two heartbeats, in milliseconds. */
export function heartbeatMs(timeoutMs: number): number {
  return timeoutMs * HEARTBEAT;
}

/** The session timeout without the margin, in milliseconds. */
export function withoutMargin(timeoutMs: number): number {
  return timeoutMs * (1 - MARGIN);
}

/**
 * How long a follower may take to report a session to the leader, in milliseconds: it does so in
 * answer to the leader's pings, of which there are two a tick.
 */
export function reportMs(tickTimeMs: number): number {
  return tickTimeMs / 2;
}

/**
 * The shortest session timeout of which three heartbeats fit into the lease, which is the timeout
 * without the margin and without the time of a report: 0.77 ticks.
 */
export function shortestTimeoutMs(tickTimeMs: number): number {
  return Math.ceil(reportMs(tickTimeMs) / (1 - MARGIN - HEARTBEATS * HEARTBEAT));
}

/** The servers' limits decide what is granted, so only the granted timeout is judged. */
export function timeoutTooShort(timeoutMs: number, tickTimeMs: number): ZkLockConfigError {
  const shortest = shortestTimeoutMs(tickTimeMs);
  return new ZkLockConfigError(
    'sessionTimeoutMs',
    `was granted as ${timeoutMs} ms by ZooKeeper, which is too short for a \`tickTimeMs\` of ${tickTimeMs} ms: a loss could be told too late`,
    `Raise \`sessionTimeoutMs\`, and \`maxSessionTimeout\` on the servers, to ${shortest} or more; or set \`tickTimeMs\` to the servers' \`tickTime\` if that is smaller.`,
  );
}
