import { ZkLockConfigError } from '../zk-lock-error.js';

/** The period of the heartbeat, as a part of the session timeout. */
const HEARTBEAT = 1 / 10;

/** A healthy session's lease is renewed by the third heartbeat behind a request: see {@link LeaseDeadline}. */
const HEARTBEATS = 3;

/** Kept back from every deadline, for clocks that run at different rates and timers that fire late. */
const MARGIN = 1 / 20;

/** Left of the session timeout, as a part of it, when a healthy session is about to be renewed. */
const HEALTHY = 1 - MARGIN - HEARTBEATS * HEARTBEAT;

/** For fractions that binary numbers do not have. */
const TINY_MS = 1e-6;

/** Between two heartbeats, in milliseconds. */
export function heartbeatMs(timeoutMs: number): number {
  return timeoutMs * HEARTBEAT;
}

/** The session timeout without the margin, in milliseconds. */
function withoutMargin(timeoutMs: number): number {
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
  return timeoutFor(0, tickTimeMs);
}

/**
 * How long before its deadline a lease can be over for those who need time to stop, in milliseconds:
 * three heartbeats must fit into what is left of it, as without a margin, or it would be over between
 * two answers of a healthy server.
 */
function longestMarginMs(timeoutMs: number, tickTimeMs: number): number {
  return Math.floor(timeoutMs * HEALTHY + TINY_MS - reportMs(tickTimeMs));
}

/** @throws {ZkLockConfigError} where a margin is too long for the session timeout that was granted */
export function refuseLongMargin(marginMs: number, timeoutMs: number, tickTimeMs: number): void {
  const longestMs = longestMarginMs(timeoutMs, tickTimeMs);
  if (marginMs <= longestMs) return;
  const shorter = longestMs > 0 ? `Pass ${longestMs} or less` : 'Leave it out';
  throw new ZkLockConfigError(
    'marginMs',
    `of ${marginMs} ms is too long for a session of ${timeoutMs} ms, as ZooKeeper granted it, and a \`tickTimeMs\` of ${tickTimeMs} ms: locks would be lost between two heartbeats`,
    `${shorter}; or raise \`sessionTimeoutMs\`, and \`maxSessionTimeout\` on the servers, to ${timeoutFor(marginMs, tickTimeMs)} or more.`,
  );
}

function timeoutFor(marginMs: number, tickTimeMs: number): number {
  return Math.ceil((reportMs(tickTimeMs) + marginMs) / HEALTHY - TINY_MS);
}

/** Answers are kept this fraction of the session timeout apart; leaving some out only shortens the lease. */
const GRAIN = 1 / 50;

/** Proofs are kept so far apart, in milliseconds. */
const PROOF_GRAIN_MS = 1;

/**
 * Until when a session certainly lives, from what the servers have answered. All times are
 * milliseconds on one monotonic clock; nothing here reads it.
 *
 * Only the leader ends sessions, and a follower cut off from it answers pings and reads all the
 * same, so only an answer that took a round trip to the leader is a *proof* (see
 * docs/decisions/0002-lease-deadline.md). It takes two proofs, the second one sent after the first
 * one was answered, to know what the follower has reported:
 *
 * - The first one shows that the leader was running. A running leader pings its followers every half
 *   tick, and a follower answers each ping with the sessions it has heard from.
 * - The second one passed the follower's link to the leader behind the answers to those pings. One
 *   proof is not enough: a leader that stalls sends no pings, and executes on waking what has come
 *   meanwhile, even where the link was cut since.
 *
 * So whatever the follower had *received* half a tick before the first proof was sent is known to the
 * leader, which ends the session no earlier than one session timeout after it. A request had
 * certainly been received once its answer was here.
 *
 * For a connect request the leader touches the session itself.
 *
 * T is the smallest timeout that the session was ever granted. The servers' database keeps the one
 * that the session was created with: a leader elected later, or a restarted server, counts that one
 * from its own start (`SessionTrackerImpl` gets it from `sessionsWithTimeouts`; a reconnect does not
 * change it). A smaller one granted later counts from then on, because a packet delayed on its
 * connection may touch the session with it after the next connection was made.
 */
export class LeaseDeadline {
  /** What counts on the latest connection. */
  #timeoutMs: number;
  /** What counts from the next connection on. */
  #smallestMs: number;
  #attachedAt: number;
  readonly #answers = new AnsweredRequests();
  readonly #proofs = new AnsweredRequests();
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
   * The server has answered a connect request, and with it set a timeout that counts from then on.
   * It may be shorter than before, and nothing proves yet that it was the leader's word.
   */
  connecting(sentAt: number, timeoutMs: number): void {
    this.#smallestMs = Math.min(this.#smallestMs, timeoutMs);
    this.#cap = Math.min(this.#cap, sentAt + withoutMargin(timeoutMs));
  }

  /**
   * A new connection, for which the server may have set another timeout. The answers of an earlier
   * one say nothing about the server of this one.
   */
  attached(sentAt: number, timeoutMs: number): void {
    this.#smallestMs = Math.min(this.#smallestMs, timeoutMs);
    this.#timeoutMs = this.#smallestMs;
    this.#cap = Infinity;
    this.#answers.clear();
    this.#proofs.clear();
    this.#attachedAt = sentAt;
    this.#knownAt = sentAt;
  }

  /**
   * The clock was set forward. What was answered before seems to be older than it is, so that it may
   * not count as reported.
   */
  clockJumped(): void {
    this.#answers.clear();
  }

  answered(sentAt: number, answeredAt: number, isProof: boolean): void {
    if (sentAt < this.#attachedAt) return;
    if (isProof) {
      const runningAt = this.#proofs.latestSentOfAnsweredBy(sentAt);
      if (runningAt !== undefined) this.#raise(runningAt - reportMs(this.tickTimeMs));
      this.#proofs.add(sentAt, answeredAt, PROOF_GRAIN_MS);
    }
    this.#answers.add(sentAt, answeredAt, this.#timeoutMs * GRAIN);
  }

  /** What was received by `reportedAt` is known to the leader. */
  #raise(reportedAt: number): void {
    const knownAt = this.#answers.latestSentOfAnsweredBy(reportedAt);
    if (knownAt !== undefined) this.#knownAt = Math.max(this.#knownAt, knownAt);
  }
}

interface AnsweredRequest {
  readonly sentAt: number;
  readonly answeredAt: number;
}

/** When requests were sent and answered, oldest first, for questions about instants that only rise. */
export class AnsweredRequests {
  #requests: AnsweredRequest[] = [];

  /** Leaves it out where the latest one was answered less than `grainMs` before. */
  add(sentAt: number, answeredAt: number, grainMs: number): void {
    const last = this.#requests.at(-1);
    if (last && answeredAt - last.answeredAt < grainMs) return;
    this.#requests.push({ sentAt, answeredAt });
  }

  /**
   * When the latest request that was answered by `instant` had been sent. Forgets those before it: a
   * later question about an earlier instant may find less.
   */
  latestSentOfAnsweredBy(instant: number): number | undefined {
    const isAnswered = (request: AnsweredRequest | undefined): boolean =>
      request !== undefined && request.answeredAt <= instant;
    while (isAnswered(this.#requests[1])) this.#requests.shift();
    const [latest] = this.#requests;
    return isAnswered(latest) ? latest?.sentAt : undefined;
  }

  clear(): void {
    this.#requests = [];
  }
}
