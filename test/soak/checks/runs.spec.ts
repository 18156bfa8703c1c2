import { expect, it } from 'vitest';
import type { Grant, History } from '../history/history.js';
import { checkMargins } from './margins.js';
import { checkRuns } from './runs.js';

const whole = { process: 'p', key: 'k', kind: 'run', access: 'exclusive', queued: true } as const;

function grant(id: string, enteredAt: number, given: Partial<Grant> = {}): Grant {
  return { ...whole, id, holding: id, enteredAt, heldAt: enteredAt + 10, ...given };
}

function promises(check: (history: History) => readonly { promise: string }[], grants: Grant[]) {
  const history = { grants, stalls: [], deletions: [] } as unknown as History;
  return check(history).map(({ promise }) => promise);
}

it('finds a job that ran again before its time had passed', () => {
  const run = (askedAt: number) => ({ run: { everyMs: 1_000, askedAt } });
  const first = grant('one', 100, run(90));
  expect(promises(checkRuns, [grant('two', 990, run(100)), first])).toEqual([]);
  expect(promises(checkRuns, [grant('two', 980, run(100)), first])).toEqual(['runs']);
  expect(promises(checkRuns, [grant('two', 980), first])).toEqual([]);
  expect(promises(checkRuns, [grant('two', 980, { ...run(100), key: 'other' }), first])).toEqual(
    [],
  );
});

it('finds a holder that had less time to stop than it had asked for', () => {
  const told = { at: 100, reason: 'margin-reached' };
  const next = grant('two', 400, { token: 2n });
  const lost = (given: Partial<Grant>): Grant[] => [
    grant('one', 0, { told, token: 1n, ...given }),
    next,
  ];
  expect(promises(checkMargins, lost({ marginMs: 300 }))).toEqual([]);
  expect(promises(checkMargins, lost({ marginMs: 310 }))).toEqual(['notice']);
  expect(promises(checkMargins, lost({}))).toEqual([]);
  const broken = { ...told, reason: 'broken' };
  expect(promises(checkMargins, lost({ marginMs: 310, told: broken }))).toEqual([]);
  const history = {
    grants: lost({ marginMs: 310 }),
    deletions: [],
    stalls: [{ process: 'p', from: 90, at: 200 }],
  } as unknown as History;
  expect(checkMargins(history)).toEqual([]);
});
