import type { ClientName } from 'nestjs-zk-lock';
import { expect, it } from 'vitest';
import type { Fault } from './nemesis/fault.js';
import { roundLine, summary } from './report.js';
import { soak } from './soak.js';

/** An arbitrary fixed seed, so that each run makes the same choices. */
const SEED = 20_261_123;

/** Each fault happens once, to one of the clients; no promise may be broken. */
export function testPromises(client: ClientName, faults: readonly Fault[]): void {
  // On a busy machine.
  const timeout = 120_000 + faults.length * 30_000;
  it('keeps every promise under each fault, by real servers', { timeout }, async () => {
    const report = await soak({
      ...{ seed: SEED, faults, client },
      // Printed also if the time limit is exceeded.
      onRound: (round) => process.stdout.write(`${roundLine(round)}\n`),
    });
    const { rounds, leftovers } = report;
    expect(rounds.filter(({ violations }) => violations.length > 0).map(roundLine)).toEqual([]);
    expect(leftovers).toEqual([]);
    // A run without grants, or in which no lock is lost, would prove nothing.
    for (const { fault, grants } of rounds) expect(grants, fault).toBeGreaterThan(0);
    const taken = rounds.reduce((sum, { marginsMs }) => sum + marginsMs.length, 0);
    expect(taken, summary(report)).toBeGreaterThan(0);
  });
}
