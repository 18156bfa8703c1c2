import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { codeIn } from '../support/documentation.js';

const url = (path: string): URL => new URL(path, import.meta.url);

it.each(['orders.service.ts', 'orders.service.e2e-spec.ts'])(
  'docs/testing.md shows the example %s as it is run here',
  (file) => {
    expect(codeIn(url('../../docs/testing.md'))).toContain(
      readFileSync(url(`example/${file}`), 'utf8'),
    );
  },
);
