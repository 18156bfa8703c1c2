import type { Entry } from '../log/entry.js';
import type { Log } from '../log/log.js';
import type { Replica } from '../log/replica.js';
import { epochOf, isBeginning } from '../log/zxid.js';
import type { LearnerHandler } from './learner-handler.js';

/** The state of a learner's log, as the learner reports it. */
export interface History {
  readonly currentEpoch: number;
  readonly lastZxid: number;
  readonly canTruncateTo: (zxid: number) => boolean;
}

/** The server whose state others copy. */
export interface Source {
  readonly log: Log;
  readonly replica: Replica;
  readonly lastCommitted: number;
  /** Forwards all later proposals and commits to the learner. */
  forwardTo(learner: LearnerHandler): void;
}

/**
 * Synchronizes a learner with its leader, as `LearnerHandler.syncFollower` does: sends the entries
 * that it lacks, after truncating those that no majority has; or sends a snapshot.
 */
export function bringIntoStep(learner: LearnerHandler, history: History, source: Source): void {
  const from = beginStep(learner, history, source);
  for (const entry of committedAfter(source, from)) {
    learner.send({ kind: 'propose', entry });
    learner.send({ kind: 'commit', zxid: entry.zxid });
  }
  source.forwardTo(learner);
}

/** Tells the learner how to begin. Returns the zxid after which it needs the entries. */
function beginStep(learner: LearnerHandler, history: History, source: Source): number {
  const { lastZxid } = history;
  const { log, replica, lastCommitted } = source;
  const isKnown = log.has(lastZxid) && lastZxid <= lastCommitted;
  if (lastZxid === replica.lastZxid || isKnown) {
    learner.send({ kind: 'difference' });
    return lastZxid;
  }
  const common = log.before(Math.min(lastZxid, lastCommitted + 1));
  const [next] = committedAfter(source, lastZxid);
  if (common !== undefined && isBeginning(lastZxid) && next) {
    // The learner led in that epoch, but proposed nothing.
    learner.send({ kind: 'difference' });
    return lastZxid;
  }
  // Like ZooKeeper, does not truncate a log across the beginning of an epoch if more entries
  // follow.
  const isOfOneEpoch = !next || epochOf(next.zxid) === epochOf(lastZxid);
  const canCut = isOfOneEpoch && !isBeginning(lastZxid);
  if (common !== undefined && canCut && history.canTruncateTo(common)) {
    learner.send({ kind: 'truncate', zxid: common });
    return common;
  }
  learner.send({ kind: 'snapshot', database: replica.database.copy() });
  return replica.lastZxid;
}

function committedAfter({ log, lastCommitted }: Source, zxid: number): Entry[] {
  return log.after(zxid).filter((entry) => entry.zxid <= lastCommitted);
}
