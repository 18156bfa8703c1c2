import { describe, expect, it } from 'vitest';
import { ZkLockError } from 'zk-locks';
import { getElectionToken, getSemaphoreToken } from './feature-tokens.js';
import { readFeatureOptions } from './feature.options.js';

describe('the options of forFeature()', () => {
  it('may name a key twice, with the same permits', () => {
    const semaphores = [
      { key: 'cards', permits: 4 },
      { key: 'cards', permits: 4, pattern: 'cards' },
    ];
    expect(readFeatureOptions({ semaphores }).semaphores).toEqual(semaphores);
  });

  it.each<[problem: string, options: unknown]>([
    ['`semaphore`', { semaphore: [] }],
    ['`semaphores`', { semaphores: { key: 'cards', permits: 4 } }],
    ['`elections`', { elections: 'reports' }],
    ['`connection`', { connection: '', elections: ['reports'] }],
    ['`permits`', { semaphores: [{ key: 'cards' }] }],
    ['`permits`', { semaphores: [{ key: 'cards', permits: 0 }] }],
    ['`count`', { semaphores: [{ key: 'cards', count: 4 }] }],
    ['`seed`', { semaphores: [{ key: 'cards', permits: { sharedCount: '/c' } }] }],
    ['A lock key must be a non-empty string', { semaphores: [{ permits: 4 }] }],
    ['A lock key must be a non-empty string', { elections: [''] }],
    ['A lock key must be a non-empty string', { elections: [,] }],
    [
      'the semaphore "cards" 4; got 5.',
      {
        semaphores: [
          { key: 'cards', permits: 4 },
          { key: 'cards', permits: 5 },
        ],
      },
    ],
  ])('are refused by name: %s', (problem, options) => {
    const read = () => readFeatureOptions(options as never);
    expect(read).toThrow(ZkLockError);
    expect(read).toThrow(problem);
  });
});

describe('a token', () => {
  it('distinguishes kinds, keys and connections', () => {
    const tokens = [
      getSemaphoreToken('a'),
      getElectionToken('a'),
      getSemaphoreToken('a', 'b'),
      getSemaphoreToken('a", "b'),
      getElectionToken('a', 'b'),
    ];
    expect(new Set(tokens).size).toBe(tokens.length);
    expect(getSemaphoreToken('a')).toBe(getSemaphoreToken('a'));
    expect(getSemaphoreToken('cards', 'billing')).toBe('Semaphore("cards", "billing")');
  });
});
