import { expect, it } from 'vitest';
import { wrap } from './wrap.js';

it('breaks lines between words, and puts a longer word on a line of its own', () => {
  expect(wrap('one two three', 9, 2)).toEqual(['  one two', '  three']);
  expect(wrap('a verylongword b', 6)).toEqual(['a', 'verylongword', 'b']);
  expect(wrap('', 9)).toEqual(['']);
});

it.each([
  "zkCli.sh delete '/x; y'",
  "(zkCli.sh delete '/x; y')",
  String.raw`zkCli.sh delete $'/x \x27y'`,
  'zkCli.sh ls /x',
])('keeps the command %s on one line, so that it can be pasted', (command) => {
  expect(wrap(`run: ${command}, or wait a bit`, 12)).toEqual([
    'run:',
    `${command},`,
    'or wait a',
    'bit',
  ]);
});
