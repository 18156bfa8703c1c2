import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { blocksIn, codeIn } from '../support/documentation.js';

const english = new URL('../../README.md', import.meta.url);
const chinese = new URL('../../README.zh-CN.md', import.meta.url);

const firstLine = (page: URL): string | undefined => readFileSync(page, 'utf8').split('\n')[0];

describe('the README', () => {
  it('is read in one sitting: 1,700 words, 16 KB', () => {
    const text = readFileSync(english, 'utf8');
    expect(text.split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(1_700);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(16 * 1_024);
  });

  it('has imports in every snippet', () => {
    const snippets = blocksIn(english).filter(({ language }) => language === 'ts');
    expect(snippets).not.toEqual([]);
    expect(snippets.filter(({ code }) => !code.startsWith('import '))).toEqual([]);
  });

  it('has the same test for Vitest and for Jest, which brings `it` and `expect` as globals', () => {
    const [vitest = '', jest = ''] = codeIn(english).filter((code) => code.includes('\nit('));
    const forJest = vitest.replace(/^import .* from 'vitest';\n/m, '').replace(".js';", "';");
    expect(forJest).toBe(jest);
  });

  it('has commands for a clone that the workspace knows', () => {
    const commands = codeIn(english).flatMap((code) => code.match(/^npm ci && npm \w+/gm) ?? []);
    expect(commands).toEqual(['npm ci && npm start', 'npm ci && npm test']);
  });
});

describe('the Chinese README', () => {
  it('is linked from the first line of the English one, and links back', () => {
    expect(firstLine(english)).toBe('[简体中文](README.zh-CN.md)');
    expect(firstLine(chinese)).toBe('[English](README.md)');
  });

  it('has the same code', () => {
    expect(codeIn(chinese)).toEqual(codeIn(english));
  });

  it('has at most 16 KB', () => {
    expect(readFileSync(chinese).byteLength).toBeLessThanOrEqual(16 * 1_024);
  });
});
