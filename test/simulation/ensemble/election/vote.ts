export type PeerState = 'looking' | 'following' | 'leading' | 'observing';

/** A server proposed as leader, with the end of its log. */
export interface Candidate {
  readonly leader: number;
  readonly zxid: number;
  /** The last epoch in which it was in sync with the leader. */
  readonly epoch: number;
}

export interface Vote extends Candidate {
  readonly round: number;
  readonly state: PeerState;
}

/** A vote sent to another server. */
export interface Notification extends Vote {
  readonly from: number;
}

/** Whether `one` is preferred to `other`: epochs are compared first, then zxids, then ids. */
export function isBetter(one: Candidate, other: Candidate): boolean {
  if (one.epoch !== other.epoch) return one.epoch > other.epoch;
  if (one.zxid !== other.zxid) return one.zxid > other.zxid;
  return one.leader > other.leader;
}

/**
 * Whether two votes agree. Votes of servers that have a leader agree in the leader and its epoch.
 */
export function isSameVote(one: Vote, other: Vote): boolean {
  if (one.leader !== other.leader || one.epoch !== other.epoch) return false;
  if (one.state !== 'looking' && other.state !== 'looking') return true;
  return one.zxid === other.zxid && one.round === other.round;
}
