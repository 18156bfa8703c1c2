import { checkValue } from '../option.js';
import type { Operation } from '../port/zookeeper-client.js';

/**
 * The limit of a server is 1 MiB by default (`jute.maxbuffer`); the difference is for the rest of
 * the request.
 */
export const MOST_BYTES = 1_000_000;

/** The size of an operation in addition to its path, data and ACL. */
const OVERHEAD_BYTES = 64;

/** The size of an entry of an ACL in addition to its scheme and id. */
const ENTRY_BYTES = 12;

/** @throws {ZkLockConfigError} when a server would close the connection at such a transaction */
export function checkBytes(operations: readonly Operation[]): void {
  const bytes = operations.reduce((sum, operation) => sum + bytesOf(operation), 0);
  checkValue('build', bytes, {
    expected: `a transaction of ${MOST_BYTES} bytes at most`,
    accepts: () => bytes <= MOST_BYTES,
    remedy: 'Write less at a time, or store large values elsewhere.',
  });
}

function bytesOf(operation: Operation): number {
  let bytes = OVERHEAD_BYTES + Buffer.byteLength(operation.path);
  if ('data' in operation) bytes += operation.data.length;
  if (operation.type !== 'create') return bytes;
  for (const { scheme, id } of operation.acl ?? []) {
    bytes += ENTRY_BYTES + Buffer.byteLength(scheme) + Buffer.byteLength(id);
  }
  return bytes;
}
