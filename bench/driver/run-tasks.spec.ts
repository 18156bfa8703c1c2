import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Locksmith, Mode, Release } from './locksmith.js';
import { type Plan, runTasks } from './run-tasks.js';
import { WaitingLine } from './waiting-line.js';

/** Keys of this process, granted in order. */
class LocalLocks implements Locksmith {
  readonly taken: { key: string; mode: Mode }[] = [];
  readonly refused: string[] = [];
  readonly #tails = new Map<string, Promise<unknown>>();
  held = 0;

  async take(key: string, mode: Mode): Promise<Release> {
    const before = this.#tails.get(key);
    let free!: (value?: unknown) => void;
    this.#tails.set(key, new Promise((resolve) => (free = resolve)));
    await before;
    this.taken.push({ key, mode });
    this.held++;
    return async () => {
      await sleep(1);
      this.held--;
      free();
    };
  }

  async tryTake(key: string): Promise<undefined> {
    await sleep(1);
    expect(this.taken.map((one) => one.key)).toContain(key);
    this.refused.push(key);
  }

  async close(): Promise<void> {}
}

const plan = (of: Partial<Plan>): Plan => ({
  ...{ work: 'write', keys: 'own', tasks: 3, seconds: 0.05, name: 'k', pauseMs: 0 },
  ...of,
});

const sum = (counts: Record<string, number>): number =>
  Object.values(counts).reduce((a, b) => a + b, 0);

describe('runTasks', () => {
  it('gives each task a key of its own, and counts each cycle of each', async () => {
    const locks = new LocalLocks();
    const { cycles, acquire, cycle } = await runTasks(locks, plan({}));
    expect(cycles).toHaveLength(3);
    expect(new Set(locks.taken.map(({ key }) => key))).toEqual(new Set(['k-0', 'k-1', 'k-2']));
    expect(sum(cycle)).toBe(locks.taken.length);
    expect(sum(acquire)).toBe(locks.taken.length);
    expect(locks.held).toBe(0);
    // Each task had one cycle under way when the time was over.
    const late = sum(cycle) - cycles.reduce((a, b) => a + b, 0);
    expect(late).toBeGreaterThanOrEqual(1);
    expect(late).toBeLessThanOrEqual(3);
  });

  it('tells the grants of one key in order, also with random pauses and holds', async () => {
    const random = { keys: 'one', pauseMs: 1, holdMs: 1 } as const;
    const { grants = [], cycle } = await runTasks(new LocalLocks(), plan(random));
    expect(grants).toHaveLength(sum(cycle));
    expect(grants).toEqual(grants.toSorted((a, b) => a - b));
    expect((await runTasks(new LocalLocks(), plan({}))).grants).toBeUndefined();
  });

  it('lets all tasks use the same key', async () => {
    const locks = new LocalLocks();
    const { handOver } = await runTasks(locks, plan({ keys: 'one' }));
    expect(new Set(locks.taken.map(({ key }) => key))).toEqual(new Set(['k']));
    expect(sum(handOver)).toBe(locks.taken.length - 1);
  });

  it('pauses after each cycle', async () => {
    const locks = new LocalLocks();
    const { cycles } = await runTasks(locks, plan({ tasks: 1, pauseMs: 60 }));
    expect(cycles).toEqual([1]);
  });

  it('reads 19 times in 20', async () => {
    const locks = new LocalLocks();
    await runTasks(locks, plan({ work: 'mixed', tasks: 40, seconds: 0.2 }));
    const writes = locks.taken.filter(({ mode }) => mode === 'write').length;
    expect(locks.taken.length).toBeGreaterThanOrEqual(40);
    expect(writes).toBeGreaterThan(0);
    expect(writes / locks.taken.length).toBeLessThan(0.1);
  });

  it('holds the key while tasks try for it, and releases it', async () => {
    const locks = new LocalLocks();
    const { cycle } = await runTasks(locks, plan({ work: 'try', keys: 'one' }));
    expect(locks.taken).toEqual([{ key: 'k', mode: 'write' }]);
    expect(sum(cycle)).toBe(locks.refused.length);
    expect(locks.held).toBe(0);
  });

  it('fails if a try for a busy key succeeds', async () => {
    const locks = new LocalLocks();
    const broken: Locksmith = {
      take: (key, mode) => locks.take(key, mode),
      tryTake: async () => () => Promise.resolve(),
      close: () => locks.close(),
    };
    const failing = runTasks(broken, plan({ work: 'try', keys: 'one' }));
    await expect(failing).rejects.toMatchObject({ cause: { message: 'k was taken by two' } });
  });
});

describe('WaitingLine', () => {
  it('hands the lock over as often as commanded, and holds it in between', async () => {
    const locks = new LocalLocks();
    const line = new WaitingLine(locks);
    await line.fill(10, 'k');
    expect([locks.taken.length, locks.held]).toEqual([1, 1]);
    const handOvers = await line.hand(2);
    expect(handOvers).toHaveLength(2);
    expect(Math.min(...handOvers)).toBeGreaterThan(0);
    expect(line.stall()).toBeGreaterThanOrEqual(0);
    expect([locks.taken.length, locks.held]).toEqual([3, 1]);
    await line.hand(8);
    expect([locks.taken.length, locks.held]).toEqual([11, 1]);
  });
});
