import { expect, it, vi } from 'vitest';
import { CohortGrant, type CohortTurn } from './cohort-turn.js';

it('is told of its loss also if another listener throws', () => {
  const grant = new CohortGrant({ key: 'k' } as CohortTurn, 'write', 1n);
  grant.onSettled(() => {
    throw new Error('of the logger');
  });
  const later = vi.spyOn(globalThis, 'queueMicrotask').mockImplementation(() => undefined);
  grant.lose('node-deleted');
  const [[report] = []] = later.mock.calls;
  later.mockRestore();
  expect(grant.signal.aborted).toBe(true);
  expect(report).toThrow('of the logger');
});
