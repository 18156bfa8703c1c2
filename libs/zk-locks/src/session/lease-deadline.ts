import { AnsweredRequests } from './answered-requests.js';
import { reportMs, withoutMargin } from './lease-times.js';

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
