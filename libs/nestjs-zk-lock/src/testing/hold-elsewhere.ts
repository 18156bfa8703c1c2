import type { INestApplicationContext } from '@nestjs/common';
import type { AcquireOptions } from 'zk-locks';
import { readOptions } from 'zk-locks/framework';
import { type InConnection, findConnection } from './find-connection.js';
import type { Rival } from './rival.js';

/**
 * Options of `holdElsewhere()`.
 *
 * @publicApi
 */
export interface HoldElsewhereOptions extends AcquireOptions, InConnection {
  /**
   * The longest wait for the lock, in milliseconds.
   * @default 2000
   */
  timeoutMs?: number | undefined;
}

/**
 * Less than a test runner's own limit, so that this error, which says what was waited for, comes
 * first.
 */
const TIMEOUT_MS = 2_000;

/**
 * Takes a lock as another replica would, on a session of its own, so that the code under test finds
 * it busy. The rival leaves at the end of its block, or with the testing module.
 *
 * @example
 * ```ts
 * await using rival = await holdElsewhere(moduleRef, 'order:7');
 * await expect(orders.ship('7')).rejects.toThrow(LockTimeoutError);
 * ```
 *
 * @param context the testing module, or the application that it created
 * @throws {LockTimeoutError} when the key was still busy after `timeoutMs`
 * @throws {LockTestingError} when the module has no embedded server, or none of this name
 * @publicApi
 */
export async function holdElsewhere(
  context: INestApplicationContext,
  key: string,
  given?: HoldElsewhereOptions,
): Promise<Rival> {
  const { connection, timeoutMs = TIMEOUT_MS, ...options } = readOptions(given);
  const found = findConnection(context, { connection });
  return found.holdElsewhere(key, { ...options, timeoutMs });
}
