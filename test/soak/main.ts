/** `npm run soak`: tries to break the locks on real servers for the given time. */
import { parseArgs } from 'node:util';
import type { ClientName } from 'nestjs-zk-lock';
import { FAULTS } from './nemesis/catalog.js';
import { writeResults } from '../support/results-page.js';
import { ABOUT, faultTable, roundLine, summary } from './report.js';
import { soak } from './soak.js';

const HELP = `npm run soak -- [options]

  --minutes N   goes on for so long; without it, each client meets each fault once
  --seed S      repeats the choices of another run; without it, they are new
  --client C    only this client, wire or native; without it, each in turn
  --fault TEXT  only faults whose name has this text in it
  --publish     writes test/soak/RESULTS.md, which the documentation links to

After a violation, what each process has written down stands in reports/soak.

Faults:
${FAULTS.map(({ name }) => `  ${name}`).join('\n')}`;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 0x7fff_ffff)) },
    client: { type: 'string' },
    fault: { type: 'string', default: '' },
    publish: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const say = (line: string): void => void process.stdout.write(`${line}\n`);

if (values.help) say(HELP);
else await run();

async function run(): Promise<void> {
  const started = Date.now();
  const report = await soak({
    seed: Number(values.seed),
    faults: FAULTS.filter(({ name }) => name.includes(values.fault)),
    client: values.client as ClientName | undefined,
    minutes: values.minutes === undefined ? undefined : Number(values.minutes),
    onRound: (round) => {
      const seconds = ((Date.now() - started) / 1_000).toFixed(0).padStart(5);
      say(`${seconds} s  ${roundLine(round)}`);
    },
  });
  if (report.rounds.length === 0) throw new Error('there is no such client, or no such fault');
  const table = faultTable(report);
  say(`\n${table}\n`);
  for (const { promise, message } of report.leftovers) say(`${promise}: ${message}`);
  say(summary(report));
  if (values.publish) {
    await writeResults({
      file: new URL('RESULTS.md', import.meta.url),
      script: 'soak',
      parts: [ABOUT, `${summary(report)}.`, table],
    });
  }
  const violations = report.rounds.flatMap((round) => round.violations);
  if (violations.length + report.leftovers.length > 0) process.exitCode = 1;
}
