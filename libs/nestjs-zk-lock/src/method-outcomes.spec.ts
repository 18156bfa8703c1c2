import { expect, it } from 'vitest';
import { LockLostError, LockTimeoutError, ZooKeeperUnavailableError } from 'zk-locks';
import { MethodOutcomes } from './method-outcomes.js';

it('counts failed calls by reason, and lost locks apart from them', () => {
  const outcomes = new MethodOutcomes();
  const definition = {};
  const fail = (error: Error, hasRun = false): void => {
    const call = outcomes.begin(definition);
    if (hasRun) call.runs();
    call.fails(error);
  };
  fail(new ZooKeeperUnavailableError('no answer'));
  fail(new LockTimeoutError('k', 'write', 1_000));
  fail(new Error('of the method'), true);
  fail(new LockLostError('k', 'write', 'session-expired'), true);
  expect(outcomes.of(definition)).toMatchObject({
    ...{ calls: 4, waiting: 0, running: 0, ran: 2, failed: 3, lost: 1 },
    failures: { unavailable: 1, timeout: 1, 'own error': 1 },
  });
});
