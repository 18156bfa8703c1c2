import type { ClientName } from 'nestjs-zk-lock';
import { expect, it } from 'vitest';
import { type Configuration, USUAL } from './configuration/configuration.js';
import { type Fault, suits } from './nemesis/fault.js';
import { roundLine, summary } from './report/table.js';
import { soak } from './soak.js';

/** An arbitrary fixed seed, so that each run makes the same choices. */
const SEED = 20_261_123;

/**
 * Left to `npm run soak`: the simulation plays each of these in thousands of stories, and most have one of
 * their own on real servers, in test/faults or test/session.
 */
const ELSEWHERE = [
  'connection frozen for less than the session',
  'connection frozen towards the client',
  'connection frozen towards the server',
  'connection reset, again and again',
  'event loop stalled',
  'follower cut from its leader just before it would have reported its sessions',
  'follower cut from its leader, and goes on answering',
  'follower stands still (slow disk)',
  'leader cut from its followers, and goes on answering',
  'leader stands still (slow disk)',
  'process stopped for less than its session',
  'slow network',
  'wall clock set forward',
];

/** Each of these faults happens once, but for those that are met elsewhere; no promise may be broken. */
export function testPromisesUnder(what: string, all: readonly Fault[], client: ClientName): void {
  const configuration = { ...USUAL, client };
  // The long run covers faults that need a rarer configuration.
  const faults = all.filter(
    (fault) => suits(fault, configuration) && !ELSEWHERE.includes(fault.name),
  );
  // On a busy machine.
  const timeout = 120_000 + faults.length * 30_000;
  it(`keeps every promise under each of ${faults.length} faults of ${what}`, { timeout }, () =>
    meetEachOnce(faults, configuration),
  );
}

async function meetEachOnce(faults: readonly Fault[], configuration: Configuration): Promise<void> {
  const report = await soak({
    ...{ seed: SEED, faults, configuration },
    // Printed also if the time limit is exceeded.
    onRound: (round) => process.stdout.write(`${roundLine(round)}\n`),
  });
  const { rounds, leftovers } = report;
  expect(rounds.filter(({ violations }) => violations.length > 0).map(roundLine)).toEqual([]);
  expect(leftovers).toEqual([]);
  // A run without grants, or in which no lock is lost or broken, would prove nothing.
  for (const { fault, grants } of rounds) {
    const count = [...grants.values()].reduce((sum, one) => sum + one, 0);
    expect(count, fault).toBeGreaterThan(0);
  }
  const taken = rounds.reduce((sum, { marginsMs, broken }) => sum + marginsMs.length + broken, 0);
  expect(taken, summary(report)).toBeGreaterThan(0);
}
