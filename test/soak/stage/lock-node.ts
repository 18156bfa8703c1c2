import { POOL } from '../../workers/soak/protocol.js';

/** Directories that stay while in use; the server removes them when they are empty. */
export function isLockNode(path: string): boolean {
  return /(-?\d{10}|\/lock|\/%guards\/.+)$/.test(path) && !path.endsWith(`/${POOL.key}`);
}
