import { describe, expect, it } from 'vitest';
import { USUAL } from '../configuration/configuration.js';
import { FAULTS } from '../nemesis/catalog.js';
import { suits } from '../nemesis/fault.js';
import { changedSource } from './build-mutant.js';
import { MUTANTS } from './mutants.js';

describe.each(MUTANTS)('the mutant "$name"', (mutant) => {
  it('changes what is in the library today', () => {
    expect(changedSource(mutant)).toContain(mutant.to);
  });

  it.each(mutant.faults)('is met by a fault with "%s" in its name', (text) => {
    const configuration = { ...USUAL, ...mutant.configuration };
    const isMet = FAULTS.some((fault) => fault.name.includes(text) && suits(fault, configuration));
    expect(isMet).toBe(true);
  });
});
