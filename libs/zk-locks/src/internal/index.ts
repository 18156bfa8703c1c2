/** Internal parts for `nestjs-zk-lock` of the same version; not covered by semantic versioning. */
export {
  accessRemedy,
  checkValue,
  isArray,
  later,
  LinkedSignal,
  MAX_LABEL_LENGTH,
  nameIdentity,
  object,
  readChecked,
  readOptions,
  show,
  ZkClient,
} from 'zk-client/recipes';
export type { OwnSight } from '../facade/compose.js';
export { registerCopy } from '../copies.js';
export { LeaderElection } from '../election/leader-election.js';
export { describeKeyValue, directoryOf, percentEncode } from '../lock/key-path.js';
export { nameLock } from '../lock/lock-kind.js';
export { LockView } from '../lock/lock-view.js';
export { checkTake, resolvePermitCount } from '../options/call-options.js';

export { readLocksOptions } from '../options/locks-options.js';
export {
  checkOption,
  CONNECTION_HINTS,
  functionsOf,
  optionsOf,
  resolveOption,
} from '../options/table.js';
export { runShowing } from '../grant/async-scope.js';
