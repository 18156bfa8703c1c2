import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  blocksIn,
  codeIn,
  headingLevelsIn,
  linksIn,
  withoutComments,
} from '../support/documentation.js';

const english = new URL('../../README.md', import.meta.url);
const chinese = new URL('../../README.zh-CN.md', import.meta.url);
const forJest = new URL('readme/order.service.spec.jest.ts', import.meta.url);

const textOf = (page: URL): string => readFileSync(page, 'utf8');

const firstLine = (page: URL): string | undefined => textOf(page).split('\n')[0];

/** Excludes links to the page's own headings, whose text is translated, and to pages in Chinese. */
const linksToEnglishPages = (page: URL): string[] =>
  linksIn(textOf(page)).filter((link) => !link.startsWith('#') && !/zh-CN|^README\.md$/.test(link));

describe('the README', () => {
  it('is read in one sitting: 1,700 words, 16 KB', () => {
    const text = textOf(english);
    expect(text.split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(1_700);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(16 * 1_024);
  });

  it('has imports in every snippet', () => {
    const snippets = blocksIn(english).filter(({ language }) => language === 'ts');
    expect(snippets).not.toEqual([]);
    expect(snippets.filter(({ code }) => !code.startsWith('import '))).toEqual([]);
  });

  it('links the same test for Jest, which brings `it` and `expect` as globals', () => {
    const vitest = codeIn(english).find((code) => code.includes('\nit(')) ?? '';
    const adapted = vitest.replace(/^import .* from 'vitest';\n/m, '').replace(".js';", "';");
    expect(adapted).toBe(textOf(forJest));
    expect(linksIn(textOf(english))).toContain('test/docs/readme/order.service.spec.jest.ts');
  });

  it('has commands for a clone that the workspace knows', () => {
    const commands = codeIn(english).flatMap((code) => code.match(/^npm ci && npm \w+/gm) ?? []);
    expect(commands).toEqual(['npm ci && npm start', 'npm ci && npm test']);
  });
});

describe('the Chinese README', () => {
  it('is linked from the first line of the English README, and links back', () => {
    expect(firstLine(english)).toBe('[简体中文](README.zh-CN.md)');
    expect(firstLine(chinese)).toContain('[English](README.md)');
  });

  it('has the same code, with comments in Chinese', () => {
    expect(codeIn(chinese).map(withoutComments)).toEqual(codeIn(english).map(withoutComments));
    const comments = codeIn(chinese).flatMap((code) => code.match(/(?<=\s)(\/\/|# ).*/g) ?? []);
    expect(comments.filter((comment) => !/\p{Script=Han}/u.test(comment))).toEqual([]);
  });

  it('has the same headings and links, in the same order', () => {
    expect(headingLevelsIn(textOf(chinese))).toEqual(headingLevelsIn(textOf(english)));
    expect(linksToEnglishPages(chinese)).toEqual(linksToEnglishPages(english));
  });

  it('has at most 16 KB', () => {
    expect(readFileSync(chinese).byteLength).toBeLessThanOrEqual(16 * 1_024);
  });
});
