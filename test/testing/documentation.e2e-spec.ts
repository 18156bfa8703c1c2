import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

it.each(['orders.service.ts', 'orders.service.e2e-spec.ts'])(
  'docs/testing.md shows the example %s as it is run here',
  (file) => {
    const page = read('../../docs/testing.md');
    expect(page).toContain(`\`\`\`ts\n${read(`./example/${file}`)}\`\`\``);
  },
);
