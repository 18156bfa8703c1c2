import type { Broken } from './break.js';
import { describeHolders } from './held-by.js';
import type { ZkLockLogger } from 'zk-client/recipes';
import { nameLock } from '../lock/lock-kind.js';
import { publish } from '../telemetry/channels.js';

/** One line and one event of a lock that this process has broken. */
export function tellBroken(
  logger: ZkLockLogger,
  connection: string,
  { key, contender, brokenBy, isForced }: Broken,
): void {
  const { mode, node, fencingToken, queuedAt: since, holder } = contender;
  const heldBy = describeHolders([{ node, since, holder }], { total: 1 }) ?? '';
  const how = isForced ? 'Its znode was deleted' : 'Its process gave it up';
  logger.warn(
    `Broke the ${nameLock(mode, key)} of node ${node} with the fencing token ${String(fencingToken)}. ${heldBy} ${how}.`,
  );
  publish('break', { connection, key, mode, node, fencingToken, holder, brokenBy, isForced });
}
