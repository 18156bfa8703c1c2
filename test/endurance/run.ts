/**
 * Checks that the memory and handles of a real process stay flat over cycles of acquiring and releasing
 * locks, and over sessions that end.
 *
 *   npm run endurance -- [--cycles 1000000] [--sessions 1000] [--pauses 50] [--seed 1] [--publish]
 *
 * `--publish` writes test/endurance/RESULTS.md, which the documentation links to.
 */
import { parseArgs } from 'node:util';
import { writeResults } from '../support/results-page.js';
import { endure } from './endurance.js';
import { cycleLimits, leaksIn, type Limits, sessionLimits, table } from './verdict.js';
import type { Sample } from './worker/run.js';

const { values } = parseArgs({
  options: {
    cycles: { type: 'string', default: '1000000' },
    sessions: { type: 'string', default: '1000' },
    pauses: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
    publish: { type: 'boolean', default: false },
  },
});
const common = { pauses: Number(values.pauses), seed: Number(values.seed) };
/** Markdown for the results page. */
const found: string[] = [];

/** Reports the samples, and whether they are within their limits. */
function report(what: string, samples: readonly Sample[], limits: Limits): void {
  const leaks = leaksIn(samples, limits);
  if (leaks.length > 0) process.exitCode = 1;
  const verdict =
    leaks.length > 0 ? `ABOVE ITS LIMITS: ${leaks.join(', ')}.` : 'Within its limits.';
  found.push(`## ${what}`, verdict, table(samples));
  process.stdout.write(`${found.slice(-3).join('\n\n')}\n\n`);
}

// The server is stopped when this process exits.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const cycles = { ...common, of: 'cycles', steps: Number(values.cycles) } as const;
report('Cycles', await endure(cycles), cycleLimits);
const sessions = { ...common, of: 'sessions', steps: Number(values.sessions) } as const;
report('Sessions', await endure(sessions), sessionLimits);
if (values.publish) {
  await writeResults({
    file: new URL('RESULTS.md', import.meta.url),
    script: 'endurance',
    parts: [
      'Tasks acquire and release locks of all kinds: `acquire`, `withLock`, `acquireAll`, `@Locked`, semaphores, upgradable locks, elections, nested calls, downgrades, waits that end by a timeout or a signal. After that, the session is ended on the server repeatedly while locks are held and awaited. At each pause, garbage is collected and everything is counted. Sizes are in megabytes. A straight line is fitted to the samples after the first tenth (for rss, to those of the second half). A run is within its limits if this line rises by no more than a limit per step (a few bytes per cycle, 256 bytes of heap per session), or in total by no more than the noise of a short run (256 KB of heap for cycles, 1 MB for sessions, 4 MB of rss). All other counts must be the same at the end.',
      ...found,
    ],
  });
}
