import { writeResults } from '../../support/results-page.js';
import type { Totals } from './totals.js';

const ABOUT = `Each story is drawn from a seed: one to five servers and sometimes an observer, two to four replicas, other libraries\' locks, users of \`ZkClient\` and an operator, on simulated clocks and a simulated network. [Decision 26](../../docs/decisions/0026-simulation.md) says what the simulation can and cannot see. [CONTRIBUTING](../../CONTRIBUTING.md#a-simulated-story) says how to replay a story.`;

/** Writes the totals of a run to the documentation. */
export async function publish(totals: Totals): Promise<void> {
  const rows = totals.rows().map(([what, count]) => `| ${what} | ${count} |`);
  await writeResults({
    file: new URL('../RESULTS.md', import.meta.url),
    script: 'simulate',
    parts: [ABOUT, ['| | |', '| --- | ---: |', ...rows].join('\n')],
  });
}
