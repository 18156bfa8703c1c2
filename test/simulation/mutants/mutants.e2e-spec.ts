import { expect, it } from 'vitest';
import { MUTANTS } from '../../soak/mutants/mutants.js';
import { tryMutant } from './try-mutant.js';

/** Some seconds of a core, on a machine that is busy. */
const LONG_MS = 240_000;

/** Those that are found within a second or two; `npm run simulate -- --mutant all` tries the others. */
const QUICK = ['writer waits for writers only', 'one permit too many', 'release not retried'];

it.each(MUTANTS.filter(({ name }) => QUICK.includes(name)))(
  'a mistake in the sources is found by stories that know nothing of it: $name',
  async (mutant) => {
    const { found } = await tryMutant(mutant, { firstSeed: 1, seconds: 30 });
    expect(found?.violation.message).toBeDefined();
  },
  LONG_MS,
);
