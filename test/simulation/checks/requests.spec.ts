import { expect, it } from 'vitest';
import type { Grant } from '../../soak/history/history.js';
import { checkRequests } from './requests.js';

/** A grant under node 1 of a process. */
function grant(index: number, given: Partial<Grant>): Grant {
  return {
    ...{ id: `one.1#${index}`, process: 'one.1', holding: `${index}`, key: 'a', kind: 'read' },
    ...{ access: 'shared', queued: true, token: 1_024n + BigInt(index) },
    ...{ enteredAt: 0, heldAt: 100, leftAt: 100 },
    ...given,
  };
}

it.each<[string, Partial<Grant>, number]>([
  ['that was told as well', { askedBackAt: 50 }, 0],
  ['that was not told', {}, 1],
  ['that was told later', { askedBackAt: 60 }, 1],
  ['that had left before', { leftAt: 40 }, 0],
  ['that was lost before', { told: { at: 40, reason: 'lease-expired' } }, 0],
  ['that entered afterwards', { enteredAt: 60 }, 1],
  ['of another process', { process: 'two.1' }, 0],
])('judges a call beside one that was asked for its lock: %s', (_, given, count) => {
  const grants = [grant(0, { askedBackAt: 50 }), grant(1, given)];
  expect(checkRequests({ grants }, () => true)).toHaveLength(count);
  expect(checkRequests({ grants }, () => false)).toEqual([]);
});
