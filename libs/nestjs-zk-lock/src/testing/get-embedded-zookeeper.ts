import type { INestApplicationContext } from '@nestjs/common';
import type { EmbeddedZooKeeper } from 'zk-embedded';
import { type InConnection, findConnection } from './find-connection.js';

/**
 * Returns the embedded server of a testing module or its application, so that you can cause faults
 * and inspect its sessions. The server stops with the module.
 *
 * @example
 * ```ts
 * await getEmbeddedZooKeeper(moduleRef).pause();
 * ```
 *
 * @throws {LockTestingError} when the module has no embedded server, or none of this name
 * @publicApi
 */
export function getEmbeddedZooKeeper(
  context: INestApplicationContext,
  options: InConnection = {},
): EmbeddedZooKeeper {
  return findConnection(context, options).zooKeeper;
}
