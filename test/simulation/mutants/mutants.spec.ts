import { existsSync } from 'node:fs';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { changedSource } from './changed-source.js';
import { MUTANTS } from './mutants.js';

it.each(MUTANTS)('applies to the present source, and compiles: $name', (mutant) => {
  const source = changedSource(mutant);
  expect(source).toContain(mutant.to);
  expect(ts.transpileModule(source, { reportDiagnostics: true }).diagnostics).toEqual([]);
  expect(mutant.test === undefined || existsSync(mutant.test)).toBe(true);
});
