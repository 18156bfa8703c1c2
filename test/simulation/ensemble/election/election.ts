import type { SimulatedProcess } from '../../world/simulated-process.js';
import type { SimulatedTimer } from '../../world/timers.js';
import { type Candidate, isBetter, isSameVote, type Notification, type Vote } from './vote.js';

/** How long a server waits for a better vote after a majority has agreed. */
const FINALIZE_MS = 200;
const FIRST_INTERVAL_MS = 200;
const LONGEST_INTERVAL_MS = 60_000;

/** The vote of a server that may not lead. */
const NO_LEADER: Candidate = { leader: -1, zxid: -Infinity, epoch: -Infinity };

interface Voter {
  readonly id: number;
  readonly process: SimulatedProcess;
  readonly voters: readonly number[];
  send(to: number, notification: Notification): void;
  onElected(vote: Vote): void;
}

/** Elects a leader in the same way as `FastLeaderElection.lookForLeader`. */
export class Election {
  #round = 0;
  #own = NO_LEADER;
  #proposed = NO_LEADER;
  #isLooking = false;
  #isFinalizing = false;
  #intervalMs = FIRST_INTERVAL_MS;
  #timer: SimulatedTimer | undefined;
  readonly #votes = new Map<number, Vote>();
  /** Votes of servers that already have a leader. */
  readonly #settled = new Map<number, Vote>();

  constructor(private readonly voter: Voter) {}

  /** The vote that it sends to others while it is looking. */
  get vote(): Vote {
    return { ...this.#proposed, round: this.#round, state: 'looking' };
  }

  /** @param own the end of this server's own log */
  begin(own: Omit<Candidate, 'leader'>): void {
    const { id } = this.voter;
    this.#isLooking = true;
    this.#isFinalizing = false;
    this.#intervalMs = FIRST_INTERVAL_MS;
    this.#round++;
    this.#own = this.#isVoter(id) ? { leader: id, ...own } : NO_LEADER;
    this.#proposed = this.#own;
    this.#votes.clear();
    this.#settled.clear();
    this.#broadcast();
    this.#wait(this.#intervalMs);
    this.#finalizeIfAgreed();
  }

  stop(): void {
    this.#isLooking = false;
    this.#timer?.close();
  }

  receive(notification: Notification): void {
    const { from, leader, state } = notification;
    if (!this.#isLooking || !this.#isVoter(from) || !this.#isVoter(leader)) return;
    // The sender does not know of this round yet.
    if (state === 'looking' && notification.round < this.#round) this.#send(from);
    if (this.#isFinalizing && !isBetter(notification, this.#proposed)) {
      return this.#wait(FINALIZE_MS);
    }
    this.#isFinalizing = false;
    this.#wait(this.#intervalMs);
    if (state === 'looking') this.#receiveLooking(notification);
    else if (state !== 'observing') this.#receiveSettled(notification);
  }

  #receiveLooking(notification: Notification): void {
    const { from, round } = notification;
    if (round < this.#round) return;
    if (round > this.#round) {
      this.#round = round;
      this.#votes.clear();
      this.#proposed = isBetter(notification, this.#own) ? candidateOf(notification) : this.#own;
      this.#broadcast();
    } else if (isBetter(notification, this.#proposed)) {
      this.#proposed = candidateOf(notification);
      this.#broadcast();
    }
    this.#votes.set(from, notification);
    this.#finalizeIfAgreed();
  }

  #receiveSettled(notification: Notification): void {
    const { from, round } = notification;
    if (round === this.#round) {
      this.#votes.set(from, notification);
      if (this.#isSettled(this.#votes, notification)) return this.#elect(notification);
    }
    this.#settled.set(from, notification);
    if (!this.#isSettled(this.#settled, notification)) return;
    this.#round = round;
    this.#elect(notification);
  }

  /** Whether a majority follows this leader and the leader itself confirms that it leads. */
  #isSettled(votes: ReadonlyMap<number, Vote>, vote: Vote): boolean {
    if (!this.#hasMajority(votes, vote)) return false;
    if (vote.leader === this.voter.id) return vote.round === this.#round;
    return votes.get(vote.leader)?.state === 'leading';
  }

  #hasMajority(votes: ReadonlyMap<number, Vote>, vote: Vote): boolean {
    let count = 0;
    for (const other of votes.values()) if (isSameVote(vote, other)) count++;
    return count > this.voter.voters.length / 2;
  }

  #finalizeIfAgreed(): void {
    if (!this.#hasMajority(this.#votes, this.vote)) return;
    this.#isFinalizing = true;
    this.#wait(FINALIZE_MS);
  }

  #elect(vote: Vote): void {
    this.stop();
    this.voter.onElected(vote);
  }

  #wait(ms: number): void {
    const { process } = this.voter;
    this.#timer?.close();
    // Wakes up after the poll phase: messages in the queue count before the timeout does.
    const wake = (): void => void process.addImmediate(() => this.#onSilence(timer));
    const timer = process.addTimer(wake, ms);
    this.#timer = timer;
  }

  #onSilence(timer: SimulatedTimer): void {
    if (!this.#isLooking || this.#timer !== timer) return;
    if (this.#isFinalizing) return this.#elect(this.vote);
    this.#broadcast();
    this.#intervalMs = Math.min(2 * this.#intervalMs, LONGEST_INTERVAL_MS);
    this.#wait(this.#intervalMs);
  }

  #broadcast(): void {
    const { id, voters } = this.voter;
    for (const other of voters) if (other !== id) this.#send(other);
    if (this.#isVoter(id)) this.#votes.set(id, this.vote);
  }

  #send(to: number): void {
    this.voter.send(to, { ...this.vote, from: this.voter.id });
  }

  #isVoter(id: number): boolean {
    return this.voter.voters.includes(id);
  }
}

function candidateOf({ leader, zxid, epoch }: Candidate): Candidate {
  return { leader, zxid, epoch };
}
