/** What nestjs-zk-lock of the same version is built with; not covered by semantic versioning. */
export { cleanText } from '../clean-text.js';
export { registerCopy } from '../copies.js';
export { LeaderElection } from '../election/leader-election.js';
export { directoryOf, percentEncode } from '../key-path.js';
export { describeKeyValue } from '../key-value.js';
export { nameGuard } from '../lock-errors.js';
export { LockView } from '../lock-view.js';
export { isArray, readOptions, show } from '../options/given.js';
export { MAX_LABEL_LENGTH } from '../options/limits.js';
export { checkLocksOptions } from '../options/locks-options.js';
export { type Option, orFunction } from '../options/option.js';
export { checkWanted, resolvePermitCount } from '../options/semaphore-options.js';
export { checkOption, type OptionName, OPTIONS, readChecked } from '../options/table.js';
export { LinkedSignal } from '../queue/linked-signal.js';
export { currentLock, runShowing } from '../grant/async-scope.js';
export { currentPermit } from '../semaphore/held-permit.js';
export { messageWithoutLink } from '../zk-lock-error.js';
