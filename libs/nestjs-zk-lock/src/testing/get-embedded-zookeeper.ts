import type { INestApplicationContext } from '@nestjs/common';
import type { EmbeddedZooKeeper } from 'zk-embedded';
import { type InConnection, findConnection } from './find-connection.js';

/**
 * The embedded server under a testing module or its application, for the faults that it has on
 * command, and to look at its sessions. It is stopped with the module.
 *
 * @example
 * ```ts
 * await getEmbeddedZooKeeper(moduleRef).pause();
 * ```
 *
 * @throws {LockTestingError} where the module has no embedded server, or none of this name
 * @publicApi
 */
export function getEmbeddedZooKeeper(
  context: INestApplicationContext,
  options: InConnection = {},
): EmbeddedZooKeeper {
  return findConnection(context, options).zooKeeper;
}
