import type { WorkloadResult } from '../measure/results.js';
import { ratioTo } from './column.js';
import { referenceOf } from './table.js';
import { factor } from './words.js';

const BAR = 14;
const GAP = 12;
const LABELS = 130;
const WIDTH = 760;
/** Room for the number at the end of a bar. */
const NUMBERS = 60;

const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #1f2328; }
  .head { font-weight: 600; }
  .bar { fill: #8c959f; }
  .ours { fill: #0969da; }
  .limit { fill: #d0d7de; }
  .one { stroke: #1f2328; stroke-dasharray: 3 3; }
  svg { background: #fff; }`;

interface Bar {
  readonly label: string;
  readonly ratio: number;
}

interface Group {
  readonly title: string;
  readonly bars: readonly Bar[];
}

/** The ratios of `perSecond` to the reference, as bars on a scale of powers of ten. */
export function plot(results: readonly WorkloadResult[]): string {
  const groups = results.map(groupOf).filter(({ bars }) => bars.length > 1);
  const all = groups.flatMap(({ bars }) => bars.map(({ ratio }) => ratio));
  const scale = scaleOf(Math.min(1, ...all), Math.max(1, ...all));
  const parts: string[] = [];
  let y = GAP;
  for (const { title, bars } of groups) {
    parts.push(text(0, y + BAR - 3, title, 'head'));
    y += BAR + 4;
    const top = y;
    for (const bar of bars) {
      parts.push(...drawn(bar, y, scale));
      y += BAR + 2;
    }
    const one = scale(1);
    parts.push(`<line class="one" x1="${one}" x2="${one}" y1="${top}" y2="${y}"/>`);
    y += GAP;
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-8 0 ${WIDTH + 16} ${y}" role="img">`,
    '<title>Cycles per second, as multiples of Curator’s</title>',
    `<style>${STYLE}\n</style>`,
    ...parts,
    '</svg>\n',
  ].join('\n');
}

function groupOf(result: WorkloadResult): Group {
  const reference = referenceOf(result);
  const bars = result.entries.flatMap((entry) => {
    const ratio = reference && ratioTo(reference, entry)?.median;
    return ratio ? [{ label: entry.contender, ratio }] : [];
  });
  return { title: `${result.workload} (× ${reference?.contender ?? ''})`, bars };
}

/** The x coordinate of a ratio; the smallest ratio still has a bar. */
function scaleOf(least: number, most: number): (ratio: number) => number {
  const [from, to] = [Math.log10(least) - 0.1, Math.log10(most)];
  const width = WIDTH - LABELS - NUMBERS;
  return (ratio) => round(LABELS + ((Math.log10(ratio) - from) / (to - from)) * width);
}

function drawn({ label, ratio }: Bar, y: number, scale: (ratio: number) => number): string[] {
  const end = scale(ratio);
  return [
    text(0, y + BAR - 3, label),
    `<rect class="${kindOf(label)}" x="${LABELS}" y="${y}" width="${round(end - LABELS)}" height="${BAR}"/>`,
    text(end + 4, y + BAR - 3, factor(ratio)),
  ];
}

function kindOf(label: string): string {
  if (label.startsWith('ours')) return 'bar ours';
  return label.startsWith('raw') ? 'bar limit' : 'bar';
}

function text(x: number, y: number, content: string, kind = ''): string {
  const safe = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text x="${round(x)}" y="${y}"${kind && ` class="${kind}"`}>${safe}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
