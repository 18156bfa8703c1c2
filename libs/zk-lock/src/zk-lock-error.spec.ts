import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const url = (path: string): URL => new URL(path, import.meta.url);

it('every code of an error stands in the table of the README, once', () => {
  const sources = readdirSync(url('.'), { recursive: true, encoding: 'utf8' });
  const codes = sources
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'))
    .flatMap((path) =>
      Array.from(
        readFileSync(url(path), 'utf8').matchAll(/readonly code = '(\w+)'/g),
        ([, code]) => code,
      ),
    );
  const readme = readFileSync(url('../../../README.md'), 'utf8');
  const rows = Array.from(readme.matchAll(/^\| `([A-Z_]+)` /gm), ([, code]) => code);
  expect(rows.toSorted()).toEqual(codes.toSorted());
});
