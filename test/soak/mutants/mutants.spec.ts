import { describe, expect, it } from 'vitest';
import { FAULTS } from '../nemesis/catalog.js';
import { changedSource } from './build-mutant.js';
import { MUTANTS } from './mutants.js';

describe.each(MUTANTS)('the mutant "$name"', (mutant) => {
  it('changes what is in the library today', () => {
    expect(changedSource(mutant)).toContain(mutant.to);
  });

  it.each(mutant.faults)('is met by a fault with "%s" in its name', (text) => {
    expect(FAULTS.some(({ name }) => name.includes(text))).toBe(true);
  });
});
