import { describe, expect, it } from 'vitest';
import { bench, rotated } from './bench.js';
import type { Contender } from './contenders/contender.js';
import { CONTENDERS } from './contenders/contenders.js';
import type { Failure, Load } from './measure/results.js';
import type { Round, Workload } from './workloads/workload.js';

const contenders = ['a', 'b', 'c'].map((name): Contender => ({ ...CONTENDERS[0]!, name }));

/** A contender without servers. */
function workload(open: (contender: Contender) => Round, more: Partial<Workload> = {}): Workload {
  return {
    ...{ name: 'w', about: '', place: 'standalone', columns: [] },
    suits: () => true,
    open: (_stage, contender) => Promise.resolve(open(contender)),
    ...more,
  };
}

interface Run {
  /** The contenders' names, in the order of their turns. */
  readonly turns: string;
  readonly failures: readonly Failure[];
  /** The samples kept of each contender, by round. */
  readonly kept: Record<string, (number | undefined)[]>;
  readonly warmUps: Record<string, readonly number[]>;
  readonly loads: readonly Load[];
}

async function run(one: Workload, rounds: number): Promise<Run> {
  const turns: string[] = [];
  const results = await bench(
    { workloads: [one], contenders, rounds, seconds: 1 },
    {
      onRound: (_, { name }, round) => turns.push(`${name}${round}`),
      onResult: () => {},
      onFailure: () => {},
    },
  );
  const entries = results.workloads[0]!.entries.map(
    ({ contender, samples }) =>
      [contender, Object.values(samples).map((sample) => sample?.perSecond)] as const,
  );
  const { loads } = results.workloads[0]!;
  const warmUps = results.workloads[0]!.entries.map(
    ({ contender, warmUp }) => [contender, warmUp] as const,
  );
  return {
    ...{ turns: turns.join(' '), failures: results.failures, loads },
    ...{ kept: Object.fromEntries(entries), warmUps: Object.fromEntries(warmUps) },
  };
}

/** Its rate grows by one with each round, after `windows` windows of warm-up. */
function counting(windows = 3): Round {
  let rounds = 0;
  return () => Promise.resolve({ perSecond: Math.max(1, ++rounds - windows + 1) });
}

describe('bench', () => {
  it('lets each come first in turn, and does not count the warm-up round', async () => {
    const { turns, kept } = await run(
      workload(() => counting()),
      3,
    );
    expect(turns).toBe('a0 b0 c0 b1 c1 a1 c2 a2 b2 a3 b3 c3');
    expect(kept).toEqual({ a: [2, 3, 4], b: [2, 3, 4], c: [2, 3, 4] });
  });

  it('warms each up until its rate is level, or for 15 windows', async () => {
    const rates: Record<string, number[]> = {
      a: [10, 50, 90, 100, 98, 102],
      b: [1, 1, 1],
      c: Array.from({ length: 15 }, (_, index) => 2 ** index),
    };
    const left = structuredClone(rates);
    const { warmUps, kept } = await run(
      workload(
        ({ name }) =>
          () =>
            Promise.resolve({ perSecond: left[name]!.shift() ?? 7 }),
      ),
      1,
    );
    expect(warmUps).toEqual(rates);
    expect(kept).toEqual({ a: [7], b: [7], c: [7] });
  });

  it('records the load of the machine before and during each round', async () => {
    const { loads } = await run(
      workload(() => counting()),
      2,
    );
    expect(loads).toHaveLength(2);
    for (const { before, during } of loads) {
      expect(before).toBeGreaterThanOrEqual(0);
      expect(during).toBeGreaterThanOrEqual(0);
    }
  });

  it('skips the warm-up where a workload has few rounds', async () => {
    const { turns, kept, warmUps } = await run(
      workload(() => counting(), { someRounds: () => 1 }),
      5,
    );
    expect(turns).toBe('b1 c1 a1');
    expect(kept).toEqual({ a: [1], b: [1], c: [1] });
    expect(warmUps).toEqual({ a: [], b: [], c: [] });
  });

  it('runs only contenders that can do the work', async () => {
    const { kept } = await run(
      workload(() => counting(), { suits: ({ name }) => name !== 'b' }),
      1,
    );
    expect(Object.keys(kept)).toEqual(['a', 'c']);
  });

  it('goes on without a contender that failed, and keeps its earlier samples', async () => {
    const failing = workload(({ name }) => {
      const round = counting();
      return async (seconds) => {
        const sample = await round(seconds);
        if (name === 'b' && sample.perSecond === 3) throw new Error('the lock got stuck');
        return sample;
      };
    });
    const { kept, failures } = await run(failing, 3);
    expect(failures).toEqual([{ workload: 'w', contender: 'b', message: 'the lock got stuck' }]);
    expect(kept).toEqual({ a: [2, 3, 4], b: [2], c: [2, 3, 4] });
  });

  it('goes on without a contender that does not even start', async () => {
    const failing = workload(({ name }) => {
      if (name === 'a') throw new Error('no server');
      return counting();
    });
    const { kept, failures } = await run(failing, 1);
    expect(failures).toMatchObject([{ contender: 'a', message: 'no server' }]);
    expect(kept).toEqual({ a: [], b: [2], c: [2] });
  });
});

describe('rotated', () => {
  it.each([
    [0, 'abc'],
    [1, 'bca'],
    [5, 'cab'],
  ])('by %d', (by, expected) => expect(rotated(['a', 'b', 'c'], by).join('')).toBe(expected));

  it('leaves an empty list empty', () => expect(rotated([], 2)).toEqual([]));
});
