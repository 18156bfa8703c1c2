import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import type { Contender } from 'zk-locks';
import { fit } from '../output/columns.js';
import { describeWait } from './progress.js';

const NOW = 1_000_000;

const contender = (pid: number, application?: string): Contender => ({
  ...{ mode: 'write', node: `n-${pid}`, isEphemeral: true, fencingToken: 1n },
  queuedAt: new Date(NOW - 303_000),
  holder: { host: hostname(), pid, application, since: '' },
});

describe('the line about a wait', () => {
  it.each([
    { waiters: [7], says: 'waiting for "a": 1st of 1 in the queue' },
    { waiters: [1, 7, 2], says: '2nd of 3 in the queue' },
    { waiters: [...Array(11).keys()].map((pid) => pid + 10).concat(7), says: '12th of 12' },
    { waiters: [1, 2], says: '2 in the queue' },
  ])('has the place of its process: $says', ({ waiters, says }) => {
    const holders = [contender(99, 'billing')];
    const inspection = { key: 'a', holders, waiters: waiters.map((pid) => contender(pid)) };
    const line = describeWait({ ...inspection, total: waiters.length + 1 }, 7, 110, NOW);
    expect(line).toContain(says);
    expect(line).toContain(`; held for 5 min 03 s by billing on ${hostname()} (pid 99)`);
  });

  it.each([80, 110])(
    'keeps the time of the hold even if the key is long, in %i columns',
    (width) => {
      const key = 'nightly-report:eu-central-1:customers:2026-01-01:full';
      const inspection = { key, holders: [contender(99)], waiters: [contender(7)], total: 2 };
      const line = fit(describeWait(inspection, 7, width, NOW), width);
      expect(line).toMatch(
        /^zk-lock: waiting for "nightly.*…": 1st of 1 .*; held for 5 min 03 s by /,
      );
    },
  );

  it('gives no numbers if only some of very many holders were read', () => {
    const holders = Array.from({ length: 100 }, (_, index) => contender(index + 100));
    const line = describeWait({ key: 'a', holders, waiters: [], total: 151 }, 7, 110, NOW);
    expect(line).toContain('waiting for "a": in the queue; held with many more for 5 min 03 s by');
  });

  it('shows no age for a node that serves several calls', () => {
    const one = contender(99, 'billing');
    const holders = [{ ...one, holder: { ...one.holder!, cohort: true } }];
    const inspection = { key: 'a', holders, waiters: [contender(7)], total: 2 };
    const line = describeWait(inspection, 7, 110, NOW);
    expect(line).toMatch(/; held for several calls by billing on .* \(pid 99\)$/);
  });
});
