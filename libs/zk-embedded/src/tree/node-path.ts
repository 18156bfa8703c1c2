import { ErrorCode } from 'zk-protocol';
import { RequestRefused } from '../request-refused.js';

/** Where an ensemble stores its members; empty for a server that stands alone. */
export const CONFIG_PATH = '/zookeeper/config';

/** Nodes that the server makes itself; clients cannot delete them. */
export const SERVER_PATHS = ['/zookeeper', CONFIG_PATH, '/zookeeper/quota'] as const;

const special = new Set<string>(['/', ...SERVER_PATHS]);

/** The parent of `/a` is `/`. */
export function parentOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash <= 0 ? '/' : path.slice(0, slash);
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

// Names other than `.` and `..`. Without C0 and C1 controls, surrogates, private use, and the last
// sixteen, as in `PathUtils.validatePath`.
const VALID =
  /^(?:\/(?!\.{1,2}(?:\/|$))[^/\u0000-\u001f\u007f-\u009f\ud800-\uf8ff\ufff0-\uffff]+)+$/;

/**
 * @throws {RequestRefused} `badArguments` for a path that ZooKeeper's `PathUtils.validatePath`
 * refuses
 */
export function checkPath(path: string): void {
  if (path !== '/' && !VALID.test(path)) throw new RequestRefused(ErrorCode.badArguments);
}

/** @throws {RequestRefused} `badArguments` for a path that can never be deleted */
export function checkDeletable(path: string): void {
  if (!path.includes('/') || path.includes('\0') || special.has(path)) {
    throw new RequestRefused(ErrorCode.badArguments);
  }
}
