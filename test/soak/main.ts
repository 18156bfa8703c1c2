/** `npm run soak`: tries to break the locks for the given time. */
import { describeConfiguration } from './configuration/configuration.js';
import { tryMutant } from './mutants/try-mutants.js';
import { readCommandLine, say } from '../support/command-line.js';
import { parseCommandLine, USAGE, type CommandLine } from './options.js';
import { publish } from './report/publish.js';
import { faultTable, roundLine, summary } from './report/table.js';
import { soak } from './soak.js';

async function runSoak(line: CommandLine): Promise<boolean> {
  const started = Date.now();
  const report = await soak({
    ...line,
    onStretch: ({ number, configuration }) => {
      say(`configuration ${number}: ${describeConfiguration(configuration)}`);
    },
    onRound: (round) => {
      const seconds = ((Date.now() - started) / 1_000).toFixed(0).padStart(5);
      say(`${seconds} s  ${roundLine(round)}`);
    },
  });
  say(`\n${faultTable(report)}\n`);
  for (const { promise, message } of report.leftovers) say(`${promise}: ${message}`);
  say(summary(report));
  if (line.publishes) await publish(report);
  const violations = report.rounds.flatMap((round) => round.violations);
  return violations.length + report.leftovers.length === 0;
}

async function runMutants({ seed, mutants }: CommandLine): Promise<boolean> {
  let survivors = 0;
  for (const mutant of mutants) {
    const { evidence, rounds } = await tryMutant(mutant, seed);
    if (evidence === undefined) survivors++;
    const verdict = evidence === undefined ? 'SURVIVED' : 'found   ';
    say(`${verdict} ${mutant.name}, in ${rounds} rounds\n    ${evidence ?? ''}`);
  }
  say(`${mutants.length} mutants, ${survivors} survived`);
  return survivors === 0;
}

const line = readCommandLine(parseCommandLine, USAGE);
if (line) {
  say(`seed ${line.seed}`);
  const isWell = await (line.mutants.length > 0 ? runMutants(line) : runSoak(line));
  if (!isWell) process.exitCode = 1;
}
