import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { RecordingLogger } from '../../../../test/support/recording-logger.js';
import { LockLostError } from '../lock/lock-errors.js';
import { lossLog } from './observe-session.js';

it('all locks that are lost at once share a line', async () => {
  const logger = new RecordingLogger();
  const tell = lossLog(logger);
  for (const key of 'abcdefg') tell(new LockLostError(key, 'write', 'margin-reached'));
  await nextTurn();
  const names = Array.from('abcde', (key) => `write lock "${key}"`).join(', ');
  expect(logger.of('warn')).toEqual([
    `warn: Lost because \`marginMs\` was reached: ${names}, 2 more. Their work may still be running.`,
  ]);
});
