import { afterEach, expect, it, vi } from 'vitest';
import { RecordingLogger } from '../../../../test/support/recording-logger.js';
import { LockQueueFullError } from '../lock/lock-errors.js';
import { fullQueueLog } from './full-queue-log.js';

afterEach(() => void vi.useRealTimers());

it('has one warning a minute, which counts the refusals that it did not tell', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const logger = new RecordingLogger();
  const tell = fullQueueLog(logger);
  const refuse = (): void => tell(new LockQueueFullError('k', 'write', 'maxWaiting.perKey', 2));
  refuse();
  refuse();
  vi.advanceTimersByTime(59_000);
  refuse();
  expect(logger.lines).toEqual([
    expect.stringMatching(
      /^warn: The write lock "k" was refused: 2 calls in this process are already waiting for this key\. .*`maxWaiting\.perKey`\. See /,
    ),
  ]);
  vi.advanceTimersByTime(1_000);
  refuse();
  expect(logger.lines).toHaveLength(2);
  expect(logger.lines[1]).toMatch(/^warn: 2 calls refused since the last warning\. The write lock/);
  vi.advanceTimersByTime(60_000);
  refuse();
  expect(logger.lines[2]).toMatch(/^warn: The write lock/);
});
