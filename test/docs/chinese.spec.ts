import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { codeIn, pages, withoutComments } from '../support/documentation.js';

const root = new URL('../../', import.meta.url);

const chinese = readdirSync(new URL('docs/zh-CN/', root)).map((name) => `docs/zh-CN/${name}`);

const english = pages().filter((page) => /^(README|docs\/[A-Za-z-]+)\.md$/.test(page));

it.each(chinese)('%s has only code of the English pages, with comments of its own', (page) => {
  const code = codeIn(new URL(page, root)).map(withoutComments);
  expect(code).not.toEqual([]);
  const known = english.flatMap((other) => codeIn(new URL(other, root)).map(withoutComments));
  expect(code.filter((block) => !known.includes(block))).toEqual([]);
});

it.each(chinese)('%s is linked from the Chinese README', (page) => {
  expect(readFileSync(new URL('README.zh-CN.md', root), 'utf8')).toContain(`](${page})`);
});
