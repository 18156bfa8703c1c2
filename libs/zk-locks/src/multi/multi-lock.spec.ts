import { describe, expect, it } from 'vitest';
import { inTakingOrder } from './multi-lock.js';

describe('several locks', () => {
  const order = (...requests: readonly [directory: string, mode: 'read' | 'write'][]) =>
    inTakingOrder(requests.map(([directory, mode]) => ({ directory, mode }))).map(
      ({ directory, mode }) => `${directory}:${mode}`,
    );

  it('are taken in one order, whatever the order of the keys', () => {
    const expected = ['/B:write', '/a:write', '/b:read', '/ä:write'];
    expect(order(['/b', 'read'], ['/ä', 'write'], ['/a', 'write'], ['/B', 'write'])).toEqual(
      expected,
    );
    expect(order(['/ä', 'write'], ['/B', 'write'], ['/b', 'read'], ['/a', 'write'])).toEqual(
      expected,
    );
  });

  it.each([
    [['read', 'read'], 'read'],
    [['read', 'write'], 'write'],
    [['write', 'read'], 'write'],
    [['write', 'write'], 'write'],
  ] as const)('are each taken once: %j becomes %s', (modes, expected) => {
    expect(order(...modes.map((mode) => ['/a', mode] as [string, typeof mode]))).toEqual([
      `/a:${expected}`,
    ]);
  });
});
