import { expect, it } from 'vitest';
import { compileKeys } from '../key/lock-key.js';
import { LOCKED } from './decorator-errors.js';
import { defineKey } from './definition.js';

const method = {
  ...{ method: 'Orders.ship', decorator: LOCKED },
  ...{ propertyKey: 'run', streams: false, wrapsLock: false, wrapsLeader: false },
};

it('says that the key function of a method threw, and what it threw', () => {
  const keysOf = defineKey(method, ({ id }: { id: string }) => `order:${id}`, compileKeys);
  expect(keysOf([{ id: '7' }])).toEqual(['order:7']);
  expect(() => keysOf([undefined])).toThrow(
    /^Orders\.ship did not run, because it has no key\. Computing it from the arguments threw "Cannot .* 'undefined' .*"\. Correct the arguments, or the key function\./,
  );
});
