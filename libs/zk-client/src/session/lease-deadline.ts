import { ZkLockConfigError } from '../zk-lock-error.js';

/** The period of the heartbeat, as a fraction of the session timeout. */
const HEARTBEAT = 1 / 10;

/**
 * A healthy session's lease is renewed by the third heartbeat after a request: see
 * {@link LeaseDeadline}.
 */
const HEARTBEATS = 3;

/**
 * A safety margin before every deadline, for clocks that run at different rates and timers that
 * fire late.
 */
const MARGIN = 1 / 20;

/**
 * The fraction of the session timeout that is left when a healthy session is about to be renewed.
 */
const HEALTHY = 1 - MARGIN - HEARTBEATS * HEARTBEAT;

/** The part of it that the margin of a holder leaves for round trips to the leader. */
const ROUND_TRIPS = 1 / 20;

/** A tolerance for fractions that binary numbers cannot represent. */
const TINY_MS = 1e-6;

/** The time between two heartbeats, in milliseconds. */
export function heartbeatMs(timeoutMs: number): number {
  return timeoutMs * HEARTBEAT;
}

/** The session timeout without the margin, in milliseconds. */
function withoutMargin(timeoutMs: number): number {
  return timeoutMs * (1 - MARGIN);
}

/**
 * How long a follower may take to report a session to the leader, in milliseconds: it reports in
 * answer to the leader's pings, of which there are two per tick.
 */
export function reportMs(tickTimeMs: number): number {
  return tickTimeMs / 2;
}

/**
 * The shortest session timeout for which three heartbeats fit into the lease (the timeout minus the
 * margin and the time of a report): 0.77 ticks.
 */
export function shortestTimeoutMs(tickTimeMs: number): number {
  return Math.ceil(reportMs(tickTimeMs) / HEALTHY - TINY_MS);
}

/**
 * How long before its deadline a lease can end for holders that need time to stop, in milliseconds.
 * Three heartbeats and two round trips must fit into the remaining time, or the lease would end between two answers of
 * a healthy server.
 */
function longestMarginMs(timeoutMs: number, tickTimeMs: number): number {
  const leftMs = timeoutMs * (HEALTHY - ROUND_TRIPS) + TINY_MS - reportMs(tickTimeMs);
  return Math.max(0, Math.floor(leftMs));
}

/** @throws {ZkLockConfigError} when a margin is too long for the granted session timeout */
export function refuseLongMargin(marginMs: number, timeoutMs: number, tickTimeMs: number): void {
  const longestMs = longestMarginMs(timeoutMs, tickTimeMs);
  if (marginMs <= longestMs) return;
  const shorter = longestMs > 0 ? `Pass ${longestMs} or less` : 'Omit it';
  throw new ZkLockConfigError(
    'marginMs',
    `of ${marginMs} ms is too long for a session of ${timeoutMs} ms, which ZooKeeper granted, and a \`tickTimeMs\` of ${tickTimeMs} ms: locks would be lost between two heartbeats`,
    `${shorter}; or raise \`sessionTimeoutMs\`, and \`maxSessionTimeout\` on the servers, to ${timeoutFor(marginMs, tickTimeMs)} or more.`,
  );
}

function timeoutFor(marginMs: number, tickTimeMs: number): number {
  return Math.ceil((reportMs(tickTimeMs) + marginMs) / (HEALTHY - ROUND_TRIPS) - TINY_MS);
}

/**
 * Answers are recorded at this distance, as a fraction of the session timeout; omitting some only
 * shortens the lease.
 */
const GRAIN = 1 / 50;

/** Proofs are recorded at this distance, in milliseconds. */
const PROOF_GRAIN_MS = 1;

/**
 * The instant until which a session certainly lives, derived from the servers' answers. All times
 * are milliseconds on one monotonic clock; nothing here reads the clock.
 *
 * Only the leader ends sessions, but a follower that is cut off from it still answers pings and
 * reads. So only an answer that took a round trip to the leader is a *proof* (see
 * docs/decisions/0002-lease-deadline.md). Two proofs, the second one sent after the first one was
 * answered, are needed to know what the follower has reported:
 *
 * - The first one shows that the leader was running. A running leader pings its followers every
 *   half tick, and a follower answers each ping with the sessions it has heard from.
 * - The second one passed the follower's link to the leader after the answers to those pings. One
 *   proof is not enough: a leader that stalls sends no pings, and when it resumes, it executes what
 *   has arrived meanwhile, even if the link has been cut since.
 *
 * So whatever the follower had *received* half a tick before the first proof was sent is known to
 * the leader, which ends the session no earlier than one session timeout after that. A request had
 * certainly been received when its answer arrived here.
 *
 * For a connect request, the leader itself touches the session.
 *
 * T is the smallest timeout that the session was ever granted. The servers' database keeps the
 * timeout with which the session was created: a leader elected later, or a restarted server, counts
 * that one from its own start (`SessionTrackerImpl` gets it from `sessionsWithTimeouts`; a
 * reconnect does not change it). A smaller one granted later counts from then on, because a delayed
 * packet of its connection may touch the session with it after the next connection was made.
 */
export class LeaseDeadline {
  /** The timeout that counts on the latest connection. */
  #timeoutMs: number;
  /** The timeout that counts from the next connection on. */
  #smallestMs: number;
  #attachedAt: number;
  /** The oldest first, as the proofs. */
  #answers: AnsweredRequest[] = [];
  #proofs: AnsweredRequest[] = [];
  #knownAt: number;
  #cap = Infinity;

  /** @param tickTimeMs the servers' `tickTime` */
  constructor(
    timeoutMs: number,
    private readonly tickTimeMs: number,
    attachedAt: number,
  ) {
    this.#timeoutMs = timeoutMs;
    this.#smallestMs = timeoutMs;
    this.#attachedAt = attachedAt;
    this.#knownAt = attachedAt;
  }

  /** The smallest session timeout ever granted. */
  get timeoutMs(): number {
    return this.#smallestMs;
  }

  /** The instant from which on the leader may end the session. */
  get deadline(): number {
    return Math.min(this.#cap, this.#knownAt + withoutMargin(this.#timeoutMs));
  }

  /**
   * Called when the server has answered a connect request, and so set a timeout that counts from
   * then on. It may be shorter than before, and nothing proves yet that the answer came from the
   * leader.
   */
  connecting(sentAt: number, timeoutMs: number): void {
    this.#smallestMs = Math.min(this.#smallestMs, timeoutMs);
    this.#cap = Math.min(this.#cap, sentAt + withoutMargin(timeoutMs));
  }

  /**
   * Called for a new connection, for which the server may have set another timeout. The answers on
   * an earlier connection say nothing about the server of this one.
   */
  attached(sentAt: number, timeoutMs: number): void {
    this.#smallestMs = Math.min(this.#smallestMs, timeoutMs);
    this.#timeoutMs = this.#smallestMs;
    this.#cap = Infinity;
    this.#answers = [];
    this.#proofs = [];
    this.#attachedAt = sentAt;
    this.#knownAt = sentAt;
  }

  /**
   * Called when the clock was stepped forward. Earlier answers then seem to be older than they are,
   * so that they may not count as reported.
   */
  clockJumped(): void {
    this.#answers = [];
  }

  answered(sentAt: number, answeredAt: number, isProof: boolean): void {
    if (sentAt < this.#attachedAt) return;
    const request = { sentAt, answeredAt };
    if (isProof) {
      const runningAt = latestSentOfAnsweredBy(this.#proofs, sentAt);
      if (runningAt !== undefined) this.#raise(runningAt - reportMs(this.tickTimeMs));
      record(this.#proofs, request, PROOF_GRAIN_MS);
    }
    record(this.#answers, request, this.#timeoutMs * GRAIN);
  }

  /** The leader knows what was received by `reportedAt`. */
  #raise(reportedAt: number): void {
    const knownAt = latestSentOfAnsweredBy(this.#answers, reportedAt);
    if (knownAt !== undefined) this.#knownAt = Math.max(this.#knownAt, knownAt);
  }
}

interface AnsweredRequest {
  readonly sentAt: number;
  readonly answeredAt: number;
}

/** Records a request, unless the latest one was answered less than `grainMs` before. */
function record(requests: AnsweredRequest[], request: AnsweredRequest, grainMs: number): void {
  const last = requests.at(-1);
  if (last && request.answeredAt - last.answeredAt < grainMs) return;
  requests.push(request);
}

/**
 * When the latest request that was answered by `instant` had been sent. Forgets those before it, so
 * a later question about an earlier instant may find less.
 */
function latestSentOfAnsweredBy(requests: AnsweredRequest[], instant: number): number | undefined {
  const isAnswered = (request: AnsweredRequest | undefined): boolean =>
    request !== undefined && request.answeredAt <= instant;
  while (isAnswered(requests[1])) requests.shift();
  const [latest] = requests;
  return isAnswered(latest) ? latest?.sentAt : undefined;
}
