import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { codeIn } from '../support/documentation.js';

const url = (path: string): URL => new URL(`../../${path}`, import.meta.url);

it('docs/transports.md shows files of the warehouse as they are', () => {
  const shown = codeIn(url('docs/transports.md')).filter((code) => code.startsWith('import'));
  const files = [
    'stock.resolver',
    'warehouse.module',
    'stock.gateway',
    'stock.messages',
    'pick.processor',
    'paper.listener',
  ];
  expect(shown).toEqual(
    files.map((file) => readFileSync(url(`apps/warehouse/src/${file}.ts`), 'utf8')),
  );
});
