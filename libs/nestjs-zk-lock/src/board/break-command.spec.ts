import { expect, it } from 'vitest';
import { breakCommand } from './break-command.js';

const contender = { node: 'n-1', token: '7', isForeign: false };

it.each([
  ['order:7', 'zk-lock break order:7 --token 7 --node n-1 --root /r'],
  ['-n', 'zk-lock break --token 7 --node n-1 --root /r -- -n'],
])('writes the key %s so that the command takes it for a key', (key, command) => {
  expect(breakCommand(key, contender, { servers: '', root: '/r' })).toBe(command);
});
