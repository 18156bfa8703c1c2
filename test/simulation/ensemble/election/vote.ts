export type PeerState = 'looking' | 'following' | 'leading' | 'observing';

/** A server that may lead, and how much it knows. */
export interface Candidate {
  readonly leader: number;
  readonly zxid: number;
  /** The last epoch whose leader it was in step with. */
  readonly epoch: number;
}

export interface Vote extends Candidate {
  readonly round: number;
  readonly state: PeerState;
}

/** A vote under way. */
export interface Notification extends Vote {
  readonly from: number;
}

/** Whether one candidate is to be preferred: by its epoch, then by its zxid, then by its number. */
export function isBetter(one: Candidate, other: Candidate): boolean {
  if (one.epoch !== other.epoch) return one.epoch > other.epoch;
  if (one.zxid !== other.zxid) return one.zxid > other.zxid;
  return one.leader > other.leader;
}

/** Whether two votes count together. Votes of those who have a leader name it, and its epoch. */
export function isSameVote(one: Vote, other: Vote): boolean {
  if (one.leader !== other.leader || one.epoch !== other.epoch) return false;
  if (one.state !== 'looking' && other.state !== 'looking') return true;
  return one.zxid === other.zxid && one.round === other.round;
}
