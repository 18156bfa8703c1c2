/**
 * For packages that put the locks into a framework, as nestjs-zk-lock does for Nest: checks of
 * options whose errors name a remedy, the classes that a framework extends, and the async scope.
 */
export {
  boolean,
  checkValue,
  describeRefusal,
  isArray,
  later,
  LinkedSignal,
  MAX_LABEL_LENGTH,
  object,
  printBriefly,
  readChecked,
  readOptions,
  show,
} from 'zk-client/recipes';
export type { OwnSight } from '../facade/compose.js';
export { registerCopy } from '../copies.js';
export { LeaderElection } from '../election/leader-election.js';
export { waitResultOf, withinMs } from '../grant/active-locks.js';
export { runShowing } from '../grant/async-scope.js';
export { describeKeyValue, directoryOf, percentEncode } from '../lock/key-path.js';
export { nameLock } from '../lock/lock-kind.js';
export { LockView } from '../lock/lock-view.js';
export { clientFromEnvironment } from '../options/client-name.js';
export { checkTake, resolvePermitCount } from '../options/call-options.js';
export { readLocksOptions } from '../options/locks-options.js';
export {
  checkOption,
  CONNECTION_HINTS,
  functionsOf,
  optionsOf,
  resolveOption,
} from '../options/table.js';
