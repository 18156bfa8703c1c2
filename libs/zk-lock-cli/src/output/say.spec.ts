import fs from 'node:fs';
import { expect, it } from 'vitest';
import { replaceBuiltin } from '../../../../test/support/replace-builtin.js';
import { eraseLine, showLine, warn } from './say.js';

let written = '';
replaceBuiltin(fs, 'writeSync', ((_: number, text: string) => {
  written += text;
}) as typeof fs.writeSync);

it('erases the line about a wait before it writes another text', () => {
  showLine('waiting');
  warn('No connection');
  eraseLine();
  expect(written).toBe('\r\u001B[Kwaiting\r\u001B[Kzk-lock: No connection\n');
});
