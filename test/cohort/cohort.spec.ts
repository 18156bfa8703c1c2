import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { World } from './cohort-world.js';

describe('a cohort', () => {
  beforeEach(
    () => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }),
  );
  afterEach(() => void vi.useRealTimers());

  it('keeps its promises, whatever happens in whichever order', async () => {
    const often = ['writerCalls', 'readerCalls', 'readerCalls', 'memberLeaves', 'memberLeaves'];
    const name = fc.constantFrom(...Object.keys(new World().steps), ...often);
    const step = fc.tuple(name, fc.nat(9), fc.boolean());
    let handovers = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
        const world = new World();
        for (const [name, pick, rests] of steps) {
          // Promises do their work before any time passes, and before a try.
          const isApart = name === 'timePasses' || name === 'somebodyTries';
          if (isApart) await world.rest();
          await world.steps[name]?.(pick);
          if (rests) await world.rest();
        }
        await world.rest();
        await world.disperse();
        expect(world.broken).toEqual([]);
        expect(vi.getTimerCount()).toBe(0);
        if (world.calls.length > 0) expect(world.idle).toBeGreaterThan(0);
        handovers += world.grants.filter(({ token }) => token % 1_024n > 0).length;
      }),
      { numRuns: 300 },
    );
    // A run in which nobody handed anything over would have shown nothing.
    expect(handovers).toBeGreaterThan(300);
  });

  it('is forgotten after a try that was over before it began', async () => {
    const world = new World();
    await world.triesInVain();
    expect(world.idle).toBe(1);
    expect(world.broken).toEqual([]);
  });
});
