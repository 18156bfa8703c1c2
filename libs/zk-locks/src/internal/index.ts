/** What nestjs-zk-lock of the same version is built with; not covered by semantic versioning. */
export { cleanText } from '../clean-text.js';
export { registerCopy } from '../copies.js';
export { LeaderElection } from '../election/leader-election.js';
export { isArray, readOptions, show } from '../given-options.js';
export { directoryOf, percentEncode } from '../key-path.js';
export { describeKeyValue } from '../key-value.js';
export { nameGuard } from '../lock-errors.js';
export { LockView } from '../lock-view.js';
export { resolveLocksOptions } from '../locks-options.js';
export { MAX_LABEL_LENGTH } from '../queue/holder-data.js';
export { LinkedSignal } from '../queue/linked-signal.js';
export { MAX_TIMER_MS } from '../queue/wait.js';
export { currentLock, runShowing } from '../read-write/lock-context.js';
export { currentPermit } from '../semaphore/permit-context.js';
export { checkWanted, resolvePermitCount } from '../semaphore/semaphore-options.js';
export { messageWithoutLink } from '../zk-lock-error.js';
