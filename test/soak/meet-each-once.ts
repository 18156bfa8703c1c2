import type { ClientName } from 'nestjs-zk-lock';
import { expect, it } from 'vitest';
import type { Fault } from './nemesis/fault.js';
import { roundLine, summary } from './report.js';
import { soak } from './soak.js';

/** An arbitrary fixed seed, so that each run makes the same choices. */
const SEED = 20_261_123;

/** Each fault occurs once, with this client. No promise may be broken. */
export function testPromises(client: ClientName, faults: readonly Fault[]): void {
  // The limit allows for a busy machine.
  const timeout = 120_000 + faults.length * 30_000;
  it('keeps every promise under each fault, by real servers', { timeout }, async () => {
    const report = await soak({
      ...{ seed: SEED, faults, client },
      // Printed during the run, so that it is shown even if the time limit is exceeded.
      onRound: (round) => process.stdout.write(`${roundLine(round)}\n`),
    });
    const { rounds, leftovers } = report;
    expect(rounds.filter(({ violations }) => violations.length > 0).map(roundLine)).toEqual([]);
    expect(leftovers).toEqual([]);
    // A run without grants or losses would prove nothing.
    for (const { fault, grants } of rounds) expect(grants, fault).toBeGreaterThan(0);
    const taken = rounds.reduce((sum, { marginsMs }) => sum + marginsMs.length, 0);
    expect(taken, summary(report)).toBeGreaterThan(0);
  });
}
