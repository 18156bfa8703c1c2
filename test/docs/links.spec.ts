import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { anchorsIn, linksIn, pages } from '../support/documentation.js';

const root = new URL('../../', import.meta.url);

/** Describes what is wrong with a link of a page, if anything is. */
function fault(page: URL, link: string): string | undefined {
  if (/^[a-z]+:/.test(link)) return URL.canParse(link) ? undefined : 'is no URL';
  const target = new URL(link, page);
  if (!existsSync(new URL(target.pathname, target))) return 'leads nowhere';
  const anchor = decodeURIComponent(target.hash.slice(1));
  if (anchor === '') return undefined;
  const text = readFileSync(new URL(target.pathname, target), 'utf8');
  return anchorsIn(text).has(anchor) ? undefined : 'has no such heading';
}

describe('links of the documentation', () => {
  it.each(pages())('%s', (page) => {
    const url = new URL(page, root);
    const faults = linksIn(readFileSync(url, 'utf8')).map((link) => [link, fault(url, link)]);
    expect(faults.filter(([, what]) => what !== undefined)).toEqual([]);
  });
});
