import type { Entry } from '../log/entry.js';
import type { Log } from '../log/log.js';
import type { Replica } from '../log/replica.js';
import { epochOf, isBeginning } from '../log/zxid.js';
import type { LearnerHandler } from './learner-handler.js';

/** What a learner says of its log. */
export interface History {
  readonly currentEpoch: number;
  readonly lastZxid: number;
  readonly canTruncateTo: (zxid: number) => boolean;
}

/** The server that others take their state from. */
export interface Source {
  readonly log: Log;
  readonly replica: Replica;
  readonly lastCommitted: number;
  /** From now on the learner hears of all that is proposed and committed. */
  forwardTo(learner: LearnerHandler): void;
}

/**
 * Brings a learner to the state of its leader, as `LearnerHandler.syncFollower` does: by the entries
 * that it lacks, after cutting off those that no majority has; or by a snapshot.
 */
export function bringIntoStep(learner: LearnerHandler, history: History, source: Source): void {
  const from = beginStep(learner, history, source);
  for (const entry of committedAfter(source, from)) {
    learner.send({ kind: 'propose', entry });
    learner.send({ kind: 'commit', zxid: entry.zxid });
  }
  source.forwardTo(learner);
}

/** Sends how the learner has to begin; returns the zxid from which on it needs the entries. */
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
    // It has led, and nothing was proposed then.
    learner.send({ kind: 'difference' });
    return lastZxid;
  }
  // As in ZooKeeper, a log is not cut back over the beginning of an epoch if more follows.
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
