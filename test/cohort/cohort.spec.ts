import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KEEP_MS, World } from './cohort-world.js';

const RUNS = Number(process.env.MODEL_RUNS ?? 300);

describe('a cohort', () => {
  beforeEach(
    () => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }),
  );
  afterEach(() => void vi.useRealTimers());

  it.each([
    ['', false],
    [', where locks are kept', true],
  ])(
    'keeps its promises in any order of events%s',
    async (_, isKeeping) => {
      const often = ['writerCalls', 'readerCalls', 'readerCalls', 'memberLeaves', 'memberLeaves'];
      const oftenKept = [...often, 'callsCome', 'callsCome', 'connectionIsBack', 'otherLeaves'];
      const all = Object.keys(new World(isKeeping).steps);
      const name = fc.constantFrom(...all, ...often, ...(isKeeping ? oftenKept : []));
      const step = fc.tuple(name, fc.nat(9), fc.boolean());
      let handovers = 0;
      let keptGrants = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
          const world = new World(isKeeping);
          for (const [name, pick, rests] of steps) {
            // Promises settle before time passes, and before a try.
            const isApart = name === 'timePasses' || name === 'somebodyTries';
            if (isApart) await world.rest();
            await world.steps[name]?.(pick);
            if (rests) await world.rest();
          }
          await world.rest();
          await world.disperse();
          expect(world.broken).toEqual([]);
          // The timer of kept locks stays until then.
          vi.advanceTimersByTime(KEEP_MS);
          expect(vi.getTimerCount()).toBe(0);
          if (world.calls.length > 0) expect(world.idle).toBeGreaterThan(0);
          keptGrants += world.keptGrants;
          handovers += world.grants.filter(({ token }) => token % 1_024n > 0).length;
        }),
        { numRuns: RUNS },
      );
      // A run without hand-overs would prove nothing.
      expect(handovers).toBeGreaterThan(RUNS);
      if (isKeeping) expect(keptGrants).toBeGreaterThan(RUNS);
    },
    60_000,
  );

  it('grants no kept lock after a gap until its node has been listed again', async () => {
    const world = new World(true);
    await world.steps.writerCalls!(0);
    await world.rest();
    for (const step of ['connectionIsLost', 'memberLeaves', 'otherQueuesUp']) {
      await world.steps[step]!(0);
    }
    await world.steps.keptNodeIsDeletedInTheGap!(0);
    expect(world.others).toHaveLength(1);
    // A call comes while the state change is being announced.
    await world.steps.connectionIsBack!(0);
    await world.rest();
    await world.disperse();
    expect(world.broken).toEqual([]);
    expect(world.grants).toHaveLength(2);
  });

  it('is forgotten after a try that was over before it began', async () => {
    const world = new World(false);
    await world.triesInVain();
    expect(world.idle).toBe(1);
    expect(world.broken).toEqual([]);
  });
});
