import { writeResults } from '../../support/results-page.js';
import type { SoakReport } from '../soak.js';
import { faultTable, summary } from './table.js';

const ABOUT = `Three ZooKeeper servers reach each other through proxies, and so do three replicas the
servers. In each replica thirteen tasks compete for three keys, a semaphore and the lead: writers, readers,
upgradable readers, takers of two keys or of permits, candidates. Each round breaks one thing, repairs it, and lets
all tasks finish. Some replicas have a \`marginMs\`, and with the client \`wire\` some writes are guarded
transactions. The seed also draws the configuration of servers and replicas, with the dialect \`single-node\` in some.`;

const CHECKED = `A violation is any of these:

- two holders that exclude each other at one instant, or more permits than there are;
- a holder that was told of its loss after the next grant, unless its process stood still;
- a holder that says it holds a lock after \`breakLock\` has resolved, unless its znode had to be deleted;
- a fencing token that does not rise, a stale write that was accepted, or a holder's write that was refused;
- an order of grants other than first come, first served, among waiters whose session lived;
- a wait without an answer within five session timeouts after the fault, or within the caller's own time;
- a lock node, watch, session or process that is left at the end.`;

const CELLS = `Each cell: grants of that kind, and the longest wait after the fault in session timeouts (T).`;

/** Writes this run into the documentation. */
export async function publish(report: SoakReport): Promise<void> {
  await writeResults({
    file: new URL('../RESULTS.md', import.meta.url),
    script: 'soak',
    parts: [
      oneLine(ABOUT),
      CHECKED,
      '## Result',
      `${summary(report)}.`,
      '## Faults',
      CELLS,
      faultTable(report),
    ],
  });
}

const oneLine = (text: string): string => text.replaceAll('\n', ' ');
