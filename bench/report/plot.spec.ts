import { describe, expect, it } from 'vitest';
import { plot } from './plot.js';

const result = (workload: string, rates: Record<string, number>) => ({
  ...{ workload, loads: [] },
  entries: Object.entries(rates).map(([contender, perSecond]) => ({
    contender,
    warmUp: [],
    samples: [{ perSecond }],
  })),
});

const widths = (svg: string): number[] =>
  [...svg.matchAll(/<rect [^>]*width="([\d.]+)"/g)].map(([, width]) => Number(width));

describe('plot', () => {
  it('draws a bar for each contender, on a scale of powers of ten', () => {
    const svg = plot([result('a & b', { curator: 10, kazoo: 100, ours: 1_000 })]);
    const [curator, kazoo, ours] = widths(svg) as [number, number, number];
    expect(kazoo - curator).toBeCloseTo(ours - kazoo, 0);
    expect(curator).toBeGreaterThan(0);
    expect(svg).toContain('a &amp; b (× curator)');
    expect(svg).toContain('>100×</text>');
  });

  it('leaves out workloads without a ratio', () => {
    const svg = plot([result('alone', { ours: 10 }), result('both', { curator: 2, ours: 1 })]);
    expect(svg).not.toContain('alone');
    expect(widths(svg)).toHaveLength(2);
  });
});
