import { expect, it } from 'vitest';
import { LockLostError, LockTimeoutError, ZooKeeperUnavailableError } from 'zk-locks';
import { MethodOutcomes } from './method-outcomes.js';

it('counts failed calls by reason, and lost locks apart from them', async () => {
  const outcomes = new MethodOutcomes();
  const definition = {};
  const fail = async (error: Error, hasRun = false): Promise<void> => {
    const run = (onRun: () => void): Promise<never> => {
      if (hasRun) onRun();
      return Promise.reject(error);
    };
    await expect(outcomes.count(definition, run, () => undefined)).rejects.toBe(error);
  };
  await fail(new ZooKeeperUnavailableError('no answer'));
  await fail(new LockTimeoutError('k', 'write', 1_000));
  await fail(new Error('of the method'), true);
  await fail(new LockLostError('k', 'write', 'session-expired'), true);
  expect(outcomes.of(definition)).toMatchObject({
    ...{ calls: 4, waiting: 0, running: 0, ran: 2, failed: 3, lost: 1 },
    failures: { unavailable: 1, timeout: 1, 'own error': 1 },
  });
});
