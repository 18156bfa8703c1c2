import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { cleanText } from './clean-text.js';
import { shellWord } from './shell-word.js';

it.each([
  ['/locks/order:42', '/locks/order:42'],
  ['/locks/a%2Fb,c=d+e~f@g-h.i', '/locks/a%2Fb,c=d+e~f@g-h.i'],
  ['', `''`],
  ['~root', `'~root'`],
  ['/locks/x; touch ${IFS}PWNED; #', `'/locks/x; touch \${IFS}PWNED; #'`],
  [`it's`, String.raw`'it'\''s'`],
  ['große Straße', `'große Straße'`],
  ['k5\u202eevil', String.raw`$'k5\U0000202eevil'`],
  [`a\n'\\`, String.raw`$'a\x0a\x27\x5c'`],
])('%j is the word %s', (text, word) => {
  expect(shellWord(text)).toBe(word);
});

/** What a shell makes of these words; they are pasted in a directory of the test's own. */
function pasted(shell: string, words: readonly string[]): { args: string[]; files: string[] } {
  const cwd = mkdtempSync(join(tmpdir(), 'pasted-'));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  const input = words.map((word) => `printf '%s\\0' ${word}\n`).join('');
  const env = { ...process.env, LC_ALL: 'C.UTF-8' };
  const output = execFileSync(shell, ['-s'], { cwd, env, input, encoding: 'utf8' });
  return { args: output.split('\0').slice(0, -1), files: readdirSync(cwd) };
}

const HOSTILE = [
  ...["'", '"', '\\', '`touch x`', '$(touch x)', '${IFS}', '; touch x; ', '\n', ' ', '#', '!!'],
  ...['* ', '~', '=ls', '-rf', '&', '|', '>x', '\u202e', '\u0007', '\u2028', 'a', '锁', '🎟', "$'"],
];

const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(...HOSTILE),
      fc.integer({ min: 1, max: 0x10ffff }).map((code) => String.fromCodePoint(code)),
    ),
  )
  .map((pieces) => pieces.join(''))
  // No path has half of a pair: it has no UTF-8.
  .map((text) => text.replaceAll(/\p{Surrogate}/gu, ''));

const texts = fc.sample(anyText, 500);

it('is one word of bash, as a message shows it, and runs nothing', () => {
  const { args, files } = pasted('bash', texts.map(shellWord).map(cleanText));
  expect(args).toEqual(texts);
  expect(files).toEqual([]);
});

it('is one word of any shell, where all of it can be shown', () => {
  const shown = texts.filter((text) => cleanText(text) === text);
  const { args, files } = pasted('sh', shown.map(shellWord));
  expect(args).toEqual(shown);
  expect(files).toEqual([]);
});
