import { describe, expect, it } from 'vitest';
import { parseOptions } from './options.js';
import { failuresOf, table } from './report.js';
import type { Result } from './results.js';

const options = parseOptions(['--seed', '1', '--session-timeout-ms', '2000']);
const result = (times: Partial<Result>): Result => ({
  library: 'ours',
  scenario: 'both directions',
  cutAt: 50,
  toldAt: 100,
  ...times,
});

describe('failuresOf', () => {
  it.each([
    ['told first', { grantedAt: 101 }, 0],
    ['told in the same instant', { grantedAt: 100 }, 1],
    ['told later', { grantedAt: 99 }, 1],
    ['told, and nobody got the lock', {}, 0],
    ['another library’s', { grantedAt: 99, library: 'kazoo' as const }, 0],
  ])('judges a holder that was %s', (_, times, failures) => {
    expect(failuresOf([result(times)], 'ours')).toHaveLength(failures);
  });
});

describe('table', () => {
  const cells = (results: Result[]): string[][] =>
    table(results, options)
      .split('\n')
      .map((line) => line.trim().split(/ {2,}/));

  it('has a line for each library and scenario, with margins in ms and session timeouts', () => {
    const [, ...rows] = cells([
      result({ grantedAt: 600, lostAt: 100 }),
      result({ grantedAt: 1_100, lostAt: 100 }),
      result({ library: 'curator', grantedAt: 600, lostAt: 700 }),
      result({ library: 'curator', scenario: 'leader off its quorum', grantedAt: 90 }),
      result({ library: 'kazoo' }),
    ]);
    const fifth = (text: string): string[] => Array.from({ length: 5 }, () => text);
    const both = 'both directions';
    expect(rows).toEqual([
      ['ours', both, '2', '0', '0', '0', ...['500', '500', '500', '1000', '1000'].map(withT)],
      ['curator', both, '1', '0', '1', '0', ...fifth('500 (0.25)')],
      ['curator', 'leader off its quorum', '1', '1', '1', '0', ...fifth('-10 (-0.01)')],
      ['kazoo', both, '1', '0', '0', '1', ...fifth('-')],
    ]);
  });

  const withT = (ms: string): string => `${ms} (${(Number(ms) / 2_000).toFixed(2)})`;
});
