import { expect, it } from 'vitest';
import { readSettings } from './settings.js';

it.each(['abc', '-1', '65536', '1e3'])(
  '%j is refused as a port, and the error says what a port is',
  (PORT) => {
    expect(() => readSettings({ PORT })).toThrow(`PORT is "${PORT}": use a number from 0`);
  },
);

it('has defaults', () => {
  expect(readSettings({ PORT: ' ', ZK_CONNECT: '' })).toMatchObject({
    ...{ port: 3_000, zkConnect: undefined, name: 'box office' },
  });
});
