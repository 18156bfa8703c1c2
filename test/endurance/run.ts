/**
 * Whether memory and handles stay flat, over cycles of taking and giving back locks, and over
 * sessions that end.
 *
 *   npm run endurance -- [--cycles 1000000] [--sessions 1000] [--kind all] [--tasks 64] [--pauses 50]
 *                        [--seed 1] [--minutes 60] [--publish]
 *
 * `--publish` writes test/endurance/RESULTS.md, which the documentation links to.
 */
import { parseArgs } from 'node:util';
import { endureCycles, endureSessions } from './endurance.js';
import { writeResults } from '../support/results-page.js';
import { findingsTable, progressLine, samplesTable } from './report.js';
import type { Sample } from './sample.js';
import { cycleLimits, judge, type Limits, sessionLimits } from './verdict.js';
import { cycleKinds, type CycleKind } from './worker/protocol.js';

const { values } = parseArgs({
  options: {
    cycles: { type: 'string', default: '1000000' },
    sessions: { type: 'string', default: '1000' },
    kind: { type: 'string', default: 'all' },
    tasks: { type: 'string', default: '64' },
    pauses: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    minutes: { type: 'string', default: 'Infinity' },
    publish: { type: 'boolean', default: false },
  },
});

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** @throws {Error} where it is not a number */
function numberOf(name: Exclude<keyof typeof values, 'publish'>): number {
  const number = Number(values[name]);
  if (number >= 0) return number;
  throw new Error(`--${name}: expected a number, 0 or more; got "${values[name]}"`);
}

/** @throws {Error} where there is no such kind */
function kindsOf(name: string): readonly CycleKind[] {
  const kind = cycleKinds.find((known) => known === name);
  if (kind) return [kind];
  if (name === 'all') return cycleKinds;
  throw new Error(`--kind: expected all, ${cycleKinds.join(' or ')}; got "${name}"`);
}

/** Says what was seen, and whether it is flat. */
function report(what: string, samples: readonly Sample[], limits: Limits): boolean {
  const findings = judge(samples, limits);
  const leaks = findings.filter(({ isFlat }) => !isFlat).map((finding) => finding.what);
  const verdict =
    leaks.length === 0
      ? `${what}: flat.`
      : `${what}: NOT FLAT: ${leaks.join(', ')}. A heap snapshot before and after tells whose.`;
  say(`\n${samplesTable(samples)}\n\n${findingsTable(findings)}\n\n${verdict}`);
  found.push(`## ${what}`, verdict, findingsTable(findings), samplesTable(samples));
  return leaks.length === 0;
}

// With it ends the server that it has started.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const [cycles, sessions] = [numberOf('cycles'), numberOf('sessions')];
const common = { pauses: numberOf('pauses'), seed: numberOf('seed') };
const withinMs = numberOf('minutes') * 60_000;
const kinds = kindsOf(values.kind);
const tasks = numberOf('tasks');
const verdicts: boolean[] = [];
/** Markdown for the results page. */
const found: string[] = [];

say(
  `Node ${process.version}, seed ${common.seed}: ${cycles} cycles of ${kinds.join(', ')} by ${tasks} tasks, then ${sessions} ends of sessions.`,
);
if (cycles > 0) {
  const onSample = (sample: Sample): void => say(progressLine('cycles', sample));
  const samples = await endureCycles({ ...common, withinMs, cycles, kinds, tasks, onSample });
  verdicts.push(report('Cycles', samples, cycleLimits));
}
if (sessions > 0) {
  const onSample = (sample: Sample): void => say(progressLine('sessions', sample));
  const samples = await endureSessions({ ...common, withinMs, sessions, onSample });
  verdicts.push(report('Sessions', samples, sessionLimits));
}
if (values.publish) {
  await writeResults({
    file: new URL('RESULTS.md', import.meta.url),
    script: 'endurance',
    parts: [
      `Tasks take and give back locks of all kinds: \`acquire\`, \`withLock\`, \`acquireAll\`, \`@Locked\`, semaphores, upgradable locks, elections, nested calls, downgrades, waits that end by a timeout or a signal. After that, the session ends on the server again and again while locks are held and waited for. At each pause garbage is collected, and all is counted. “Seen” is the slope of the straight line through the samples after the first tenth (rss: of the second half).`,
      ...found,
    ],
  });
}
process.exitCode = verdicts.every(Boolean) ? 0 : 1;
