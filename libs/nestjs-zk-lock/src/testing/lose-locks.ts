import type { INestApplicationContext } from '@nestjs/common';
import { filter, firstValueFrom } from 'rxjs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LockService } from '../lock.service.js';
import { type InConnection, findConnection, serviceOf } from './find-connection.js';
import { LockTestingError } from './lock-testing-error.js';

/**
 * Less than a test runner's own limit, so that this error, which says what was waited for, comes
 * first.
 */
const HELD_WITHIN_MS = 2_000;
const LOOK_AGAIN_MS = 2;

/**
 * Waits until this connection holds any lock, and then ends its ZooKeeper session,
 * as after a partition that lasted too long. All locks of the connection are lost: their signals
 * abort with a `LockLostError` (`session-expired`), and `assertHeld()` throws it. Resolves when the
 * holders have been notified. The service connects with a new session by itself.
 *
 * A leader's lock counts as well. In a module with an election, first wait until `locks.inspect()` shows a
 * holder of the key under test.
 *
 * @example
 * ```ts
 * const shipped = expect(orders.ship('7')).rejects.toThrow(LockLostError);
 * await loseLocks(moduleRef);
 * await shipped;
 * ```
 *
 * @param context the testing module, or the application that it created
 * @throws {LockTestingError} when no lock is held within 2,000 ms, and when the module has no
 * embedded server, or none of this name
 * @publicApi
 */
export async function loseLocks(
  context: INestApplicationContext,
  options: InConnection = {},
): Promise<void> {
  const connection = findConnection(context, options);
  const service = serviceOf(connection);
  const sessionId = await holdingSession(service);
  // The holders are notified before the session's state changes.
  const told = firstValueFrom(
    service.session.state$.pipe(
      filter((state) => state.name === 'lost' && state.sessionId === sessionId),
    ),
    { defaultValue: undefined },
  );
  await connection.zooKeeper.expireSession(sessionId);
  await told;
}

async function holdingSession(service: LockService): Promise<string> {
  const deadline = performance.now() + HELD_WITHIN_MS;
  while (performance.now() < deadline) {
    const { state } = service.session.snapshot;
    if (service.counts.held > 0 && 'sessionId' in state && state.name !== 'lost') {
      return state.sessionId;
    }
    await sleep(LOOK_AGAIN_MS);
  }
  throw new LockTestingError(
    `loseLocks() found no lock held within ${HELD_WITHIN_MS} ms. Call it while the code under test holds a lock.`,
  );
}
