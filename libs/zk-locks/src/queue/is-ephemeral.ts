import type { NodeStat } from '../client/zookeeper-client.js';

/** Whether a session owns the node, whose end removes it. */
export function isEphemeral({ ephemeralOwner }: Pick<NodeStat, 'ephemeralOwner'>): boolean {
  return ephemeralOwner !== '0';
}
