import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { RecordingLogger } from '../../../../test/support/recording-logger.js';
import { LockLostError, type LockLossReason } from '../lock/lock-errors.js';
import { lossLog } from './observe-session.js';

it.each<[LockLossReason, string]>([
  ['margin-reached', 'Lost because `marginMs` was reached'],
  ['session-expired', 'Lost with the session'],
])('all locks that are lost at once (%s) share a line', async (reason, beginning) => {
  const logger = new RecordingLogger();
  const tell = lossLog(logger);
  for (const key of 'abcdefg') tell(new LockLostError(key, 'write', reason));
  await nextTurn();
  const names = Array.from('abcde', (key) => `write lock "${key}"`).join(', ');
  expect(logger.of('warn')).toEqual([
    `warn: ${beginning}: ${names}, 2 more. Their work may still be running.`,
  ]);
});
