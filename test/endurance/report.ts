import type { Sample } from './sample.js';
import type { Finding } from './verdict.js';

const MEGABYTE = 1024 * 1024;
const megabytes = (bytes: number): string => (bytes / MEGABYTE).toFixed(2);

/** Of the samples that a table shows, the first and the last among them. */
const ROWS = 11;

const columns: readonly (readonly [head: string, cell: (sample: Sample) => string])[] = [
  ['done', ({ done }) => done.toLocaleString('en')],
  ['seconds', ({ seconds }) => seconds.toFixed(0)],
  ['heapUsed MB', ({ heapUsed }) => megabytes(heapUsed)],
  ['external MB', ({ external }) => megabytes(external)],
  ['arrayBuffers MB', ({ arrayBuffers }) => megabytes(arrayBuffers)],
  ['rss MB', ({ rss }) => megabytes(rss)],
  ['objects', ({ objects }) => String(objects)],
  ['resources', ({ resources }) => String(resources)],
  ['descriptors', ({ descriptors, parked }) => `${descriptors} + ${parked}`],
  ['listeners', ({ listeners }) => String(listeners)],
  ['sessions', ({ sessions }) => String(sessions)],
  ['watches', ({ watches }) => String(watches)],
  ['ephemerals', ({ ephemerals }) => String(ephemerals)],
  ['znodes', ({ znodes }) => String(znodes)],
];

export function progressLine(what: string, sample: Sample): string {
  const { done, seconds, heap, rss, objects } = sample;
  const rate = (done / seconds).toFixed(0);
  return `${what} ${done.toLocaleString('en')} (${rate}/s): heap ${megabytes(heap)} MB, rss ${megabytes(rss)} MB, ${objects} objects`;
}

export function samplesTable(samples: readonly Sample[]): string {
  const every = Math.max(1, Math.ceil((samples.length - 1) / (ROWS - 1)));
  const shown = samples.filter((_, index) => index % every === 0 || index === samples.length - 1);
  return table(
    columns.map(([head]) => head),
    shown.map((sample) => columns.map(([, cell]) => cell(sample))),
  );
}

export function findingsTable(findings: readonly Finding[]): string {
  return table(
    ['', 'seen', 'allowed', 'flat'],
    findings.map(({ what, seen, allowed, isFlat }) => [what, seen, allowed, isFlat ? 'yes' : 'NO']),
  );
}

/** As Markdown, which is to be read as it is, too. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(3, title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = line(widths.map((width) => '-'.repeat(width)));
  return [line(head), rule, ...rows.map(line)].join('\n');
}
