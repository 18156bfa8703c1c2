import { POOL } from '../../workers/soak/protocol.js';

/**
 * Whether the path is a lock node. Directories stay while they are in use, and the server removes
 * them when they are empty.
 */
export function isLockNode(path: string): boolean {
  return /(-?\d{10}|\/lock|\/%guards\/.+)$/.test(path) && !path.endsWith(`/${POOL.key}`);
}
