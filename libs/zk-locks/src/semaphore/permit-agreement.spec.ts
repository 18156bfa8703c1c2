import { describe, expect, it } from 'vitest';
import { ZkLockConfigError } from '../../../zk-client/src/zk-lock-error.js';
import { PermitAgreement } from './permit-agreement.js';
import type { PermitCount } from '../options/permit-options.js';
import { atOnce } from '../slices.js';

const unasked = { get: () => Promise.reject(new Error('asked')) };
const fixed: PermitCount = { kind: 'fixed', permits: 4 };
const agreement = (count: PermitCount): PermitAgreement =>
  new PermitAgreement(unasked, 'k', '/k/leases', count);

/** Of a lease that was taken under a number, or by Curator. */
const lease = (sequence: number, permits?: number): string =>
  `_c_guid${permits === undefined ? '' : `-of-${permits}`}-lease-${String(sequence).padStart(10, '0')}`;

it('records a fixed number in the names of leases and in the data of their directory', () => {
  expect(agreement(fixed).prefix('guid')).toBe('_c_guid-of-4-lease-');
  expect(agreement(fixed).data).toBe('4');
});

describe('the leases beside those of a call', () => {
  const own = [lease(7, 4), lease(9, 4)];

  it.each([
    ['of the same number', [lease(1, 4)]],
    ['of Curator and of shared counts', [lease(1), lease(8)]],
    ['of another number, but newer: their call is refused', [lease(8, 6), lease(10, 6)]],
    ['of what is not a number of permits', ['_c_guid-of-0-lease-0000000001', 'x-of-6-1']],
  ])('agree when they are %s', (_, names) => {
    expect(() => atOnce(agreement(fixed).check([...names, ...own], own))).not.toThrow();
  });

  it.each([
    ['an older one has another number', own, [lease(1), lease(6, 6)]],
    ['the call has none yet', [], [lease(10, 6)]],
  ])('do not agree when %s', (_, ours, names) => {
    const check = (): void => atOnce(agreement(fixed).check([...names, ...ours], ours));
    expect(check).toThrow(ZkLockConfigError);
    expect(check).toThrow(
      '`permits` must be 6 for the semaphore "k", as in other processes; got 4',
    );
  });
});
