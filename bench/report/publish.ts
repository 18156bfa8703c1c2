import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { CURATOR } from '../contenders/curator.js';
import { OURS, OURS_KEPT } from '../contenders/ours.js';
import { REDLOCK_FSYNC, REDLOCK_MEMORY } from '../contenders/redlock.js';
import type { Entry } from '../measure/results.js';
import { document, provenance, type Run } from './document.js';
import { markdown, ratioRows } from './table.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The run that all documents quote. */
export const RESULTS = `${root}bench/results.json`;

/** The contenders that are shown, in this order, if the run has measured them. */
const COLUMNS = [OURS, 'ours', OURS_KEPT, CURATOR, 'kazoo', REDLOCK_FSYNC, REDLOCK_MEMORY];

/** The parts of a run that documents quote, by the name in `<!-- bench:NAME -->`. */
const QUOTES: Readonly<Record<string, (run: Run) => string>> = {
  comparison: ({ workloads }) => {
    const rows = workloads.filter(({ entries }) => isMeasured(CURATOR, entries));
    const columns = COLUMNS.filter((name) => rows.some(({ entries }) => isMeasured(name, entries)));
    return markdown(ratioRows(rows, columns));
  },
};

const BLOCK = /(<!-- bench:(\w+) -->).*?(<!-- \/bench -->)/gs;

export function readRun(file: string): Run {
  return JSON.parse(readFileSync(file, 'utf8')) as Run;
}

/** Writes one line per workload, without insignificant digits. */
export function writeRun(file: string, run: Run): void {
  const rounded = (_: string, value: unknown): unknown =>
    typeof value === 'number' ? Number(value.toPrecision(5)) : value;
  const text = JSON.stringify(run, rounded).replaceAll('{"workload"', '\n{"workload"');
  writeFileSync(file, `${text}\n`);
}

/** All files that show figures of a run, by their paths in the repository. */
export async function rendered(run: Run): Promise<Map<string, string>> {
  const files = new Map([['bench/RESULTS.md', `${document(run)}\n`]]);
  for (const path of ['docs/comparison.md']) {
    const text = readFileSync(root + path, 'utf8').replaceAll(
      BLOCK,
      (_, begin: string, name: string, end: string) =>
        [begin, provenance(run), quoted(name, run), end].join('\n\n'),
    );
    const style = await resolveConfig(root + path);
    files.set(path, await format(text, { ...style, parser: 'markdown' }));
  }
  return files;
}

export async function publish(run: Run): Promise<string[]> {
  writeRun(RESULTS, run);
  const files = await rendered(readRun(RESULTS));
  for (const [path, text] of files) writeFileSync(root + path, text);
  return ['bench/results.json', ...files.keys()];
}

function isMeasured(name: string, entries: readonly Entry[]): boolean {
  return entries.some(({ contender }) => contender === name);
}

function quoted(name: string, run: Run): string {
  const quote = QUOTES[name];
  if (!quote)
    throw new Error(`there is no "bench:${name}"; there are ${Object.keys(QUOTES).join()}`);
  return quote(run);
}
