/** What nestjs-zk-lock and zk-lock-cli of the same version are built with; not covered by semantic versioning. */
export { cleanText } from 'zk-client/recipes';
export { accessRemedy, nameIdentity } from 'zk-client/recipes';
export type { OwnSight } from '../compose.js';
export { formatAddress, parseConnectString } from 'zk-client/recipes';
export { countText } from 'zk-client/recipes';
export { registerCopy } from '../copies.js';
export { LeaderElection } from '../election/leader-election.js';
export { describeKeyValue, directoryOf, percentEncode } from '../key-path.js';
export { nameGuard } from '../guard-kind.js';
export { deadlockRemedy } from '../lock-errors.js';
export { LockView } from '../lock-view.js';
export { checkWanted, resolvePermitCount } from '../options/call-options.js';

export { MAX_LABEL_LENGTH } from 'zk-client/recipes';
export { readLocksOptions } from '../options/locks-options.js';
export {
  checkValue,
  isArray,
  later,
  object,
  readChecked,
  readOptions,
  show,
} from 'zk-client/recipes';
export { publish } from '../telemetry/channels.js';
export { checkOption, functionsOf, optionsOf, resolveOption } from '../options/table.js';
export { LinkedSignal } from 'zk-client/recipes';
export { isNearEnd as isNearCounterEnd } from '../queue/dialect.js';
export { currentLock, runShowing } from '../grant/async-scope.js';
export { LockTree } from '../tree/lock-tree.js';
export type { TreeContender, TreeKey } from '../tree/tree-key.js';
export { nameProcess } from '../process-name.js';
export { shellWord } from 'zk-client/recipes';
export { shownText, textShownAs } from '../shown-text.js';
export { inSlices, sortedInSlices } from '../slices.js';
export { currentPermit } from '../semaphore/held-permit.js';
export { messageWithoutLink } from 'zk-client/recipes';
export { ZkClient } from 'zk-client/recipes';
export { leaseMsLeft } from './lease-ms-left.js';
