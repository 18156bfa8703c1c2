/** `npm run soak`: tries to break the locks for as long as it is told to. */
import { parseCommandLine, USAGE, type CommandLine } from './options.js';
import { faultTable, roundLine, summary } from './report/table.js';
import { soak } from './soak.js';

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

function readArguments(): CommandLine | undefined {
  try {
    return parseCommandLine(process.argv.slice(2));
  } catch (error) {
    say(`${(error as Error).message}\n\n${USAGE}`);
    process.exitCode = 2;
    return undefined;
  }
}

async function main(): Promise<void> {
  const line = readArguments();
  if (!line) return;
  const { seed, faults, minutes } = line;
  say(`seed ${seed}`);
  const started = Date.now();
  const report = await soak({
    ...{ seed, faults },
    ...(minutes === undefined ? {} : { minutes }),
    onRound: (round) => {
      const seconds = ((Date.now() - started) / 1_000).toFixed(0).padStart(5);
      say(`${seconds} s  ${roundLine(round)}`);
    },
  });
  say(`\n${faultTable(report)}\n`);
  for (const { promise, message } of report.leftovers) say(`${promise}: ${message}`);
  say(summary(report));
  const violations = report.rounds.flatMap((round) => round.violations);
  if (violations.length + report.leftovers.length > 0) process.exitCode = 1;
}

await main();
