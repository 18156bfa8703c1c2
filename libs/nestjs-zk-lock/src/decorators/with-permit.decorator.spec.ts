import { describe, expect, it } from 'vitest';
import { LockedDecoratorError } from './decorator-errors.js';
import { WithPermit, type WithPermitOptions } from './with-permit.decorator.js';

const decorate = (key: unknown, options: unknown) => () => {
  class Farm {
    @WithPermit(key as string, options as WithPermitOptions)
    async render(): Promise<void> {}
  }
  return Farm;
};

describe('@WithPermit', () => {
  it.each<[problem: string, key: unknown, options: unknown]>([
    ['The key must be a string or a function, not an empty string', '', { permits: 1 }],
    ['The key must be a string or a function, not undefined', undefined, { permits: 1 }],
    ['The key must be a string or a function, not an array', ['a'], { permits: 1 }],
    ["The key template 'gpu:{id}' has the placeholder '{id}'", 'gpu:{id}', { permits: 1 }],
    [
      '`mode` is not an option. Use permits, onBusy, release, connection, timeoutMs, take.',
      'a',
      { mode: 'read' },
    ],
    ['`reentrant` is not an option.', 'a', { permits: 1, reentrant: true }],
    ['`marginMs` is not an option of calls. Set ', 'a', { permits: 1, marginMs: 5 }],
    ['`timeoutMs` must be a number of milliseconds, 0 or more', 'a', { permits: 1, timeoutMs: -1 }],
    [
      '`permits` must be an integer from 1 to 8000, or { sharedCount, seed }; got 0.',
      'a',
      { permits: 0 },
    ],
    [
      '`permits` must be an integer from 1 to 8000, or { sharedCount, seed }; got 1.5.',
      'a',
      { permits: 1.5 },
    ],
    [
      '`sharedCount` must be an absolute path of its own; got undefined.',
      'a',
      { permits: { seed: 1 } },
    ],
    ['`seed`', 'a', { permits: { sharedCount: '/c' } }],
    ['`take` must be an integer from 1 to 2; got 0.', 'a', { permits: 2, take: 0 }],
    ['`take` must be an integer from 1 to 8000; got 0.', 'a', { take: 0 }],
    ['`take` must be an integer from 1 to 2; got 3.', 'a', { permits: 2, take: 3 }],
    ["`take` must be an integer from 1 to 2; got 'all'.", 'a', { permits: 2, take: 'all' }],
  ])('names the method and the mistake while the class is defined: %s', (problem, key, options) => {
    const define = decorate(key, options);
    expect(define).toThrow(LockedDecoratorError);
    expect(define).toThrow(`@WithPermit() on Farm.render: ${problem}`);
  });

  it('accepts what can work', () => {
    expect(decorate('a', undefined)).not.toThrow();
    expect(decorate('a', { take: 3 })).not.toThrow();
    expect(decorate('a', { permits: 2, take: 2, timeoutMs: 0, connection: 'b' })).not.toThrow();
    const shared = { sharedCount: '/c', seed: 0 };
    expect(decorate(() => 'a', { permits: shared, take: 5, timeoutMs: undefined })).not.toThrow();
  });
});
