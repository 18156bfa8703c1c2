import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { changedSource } from './changed-source.js';
import { MUTANTS } from './mutants.js';

it.each(MUTANTS)('changes what is in the library today: $name', (mutant) => {
  expect(changedSource(mutant)).toContain(mutant.to);
  expect(mutant.test === undefined || existsSync(mutant.test)).toBe(true);
});
