import type { NodeStat } from '../../client/zookeeper-client.js';

/** Whether a session owns the node, and takes it along when it ends. */
export function isEphemeral({ ephemeralOwner }: Pick<NodeStat, 'ephemeralOwner'>): boolean {
  return ephemeralOwner !== '0';
}
