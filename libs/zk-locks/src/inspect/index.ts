/**
 * For operators' tools: all locks of all processes, the problems of keys, and one wording for both.
 * To break or revoke a lock, use `Locks.breakLock` and `Locks.revoke`; for deadlocks around a key,
 * `Locks.inspect`.
 */
export { LockTree } from '../tree/lock-tree.js';
export { isElection, type TreeContender, type TreeKey, type TreeSight } from '../tree/tree-key.js';
export * from './problems.js';
export { describeEvent } from './event-text.js';
export { followTree } from './follow-tree.js';
export { History, type HistoryGap, type PastEvent, type PastEventName } from './history.js';
export type { KeyEvent, KeyEventName } from './key-events.js';
export { type Hold, timelineOf } from './timeline.js';
export { contenderId, type TreeChange } from '../tree/tree-change.js';
export { keyOfDirectory } from '../lock/key-path.js';
export { describeProblem, nameContender, type ProblemText } from './problem-text.js';
export { describeDeadlock, deadlockRemedy } from '../lock/deadlock.js';
export { nameHolder, nameProcess } from '../process-name.js';
export {
  ageText,
  askWord,
  cleanText,
  countText,
  formatAddress,
  messageWithoutLink,
  parseConnectString,
  shellWord,
  shortAgeText,
} from 'zk-client/recipes';
export { shownText, textShownAs } from '../shown-text.js';
export { inSlices, sortedInSlices } from '../slices.js';
export { leaseMsLeft } from './lease-ms-left.js';
