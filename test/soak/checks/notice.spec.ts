import { describe, expect, it } from 'vitest';
import { marginsOf } from './notice.js';
import { during, grant, history, judge, nodeOf } from './a-history.js';

describe('notice', () => {
  it('finds a lock that says it is not held before its signal does', () => {
    expect(judge({ grants: [grant({ untoldAt: 150 })] })).toEqual(['notice']);
  });

  it.each([
    ['shortly after', 'one.1', 100, []],
    ['long after', 'one.1', -3_000, ['notice']],
    ['after that of another process', 'two.1', 100, ['notice']],
  ])('judges a lock that says so %s the wall clock was set', (_, process, at, expected) => {
    const clockChanges = [{ process, at }];
    const grants = [grant({ process: 'one.1', untoldAt: 150 })];
    expect(judge({ grants, clockChanges })).toEqual(expected);
  });

  it('finds work that was rejected before the holder was told of a loss', () => {
    expect(judge({ grants: [grant({ rejectedAt: 150 })] })).toEqual(['notice']);
  });

  const lost = { token: 1n, enteredAt: 0, heldAt: 50 };
  const next = grant({ ...during(60), token: 2n });

  it('finds a holder that was told after the next one had entered', () => {
    const told = { at: 80, reason: 'lease-expired' };
    expect(judge({ grants: [grant({ ...lost, told }), next] })).toEqual(['notice']);
  });

  it('excuses a process that stood still when it could have been told', () => {
    const told = { at: 80, reason: 'lease-expired' };
    const grants = [grant({ ...lost, told }), next];
    expect(judge({ grants, stalls: [{ process: 'p', from: 40, at: 80 }] })).toEqual([]);
    expect(judge({ grants, stalls: [{ process: 'q', from: 40, at: 80 }] })).toEqual(['notice']);
    expect(judge({ grants, stalls: [{ process: 'p', from: 20, at: 55 }] })).toEqual(['notice']);
  });

  it('finds a lock that says it is held after it has told that it is not', () => {
    const told = { at: 40, reason: 'lease-expired' };
    expect(judge({ grants: [grant({ ...lost, told })] })).toEqual(['notice']);
  });

  it('measures the time from the notice to the next grant', () => {
    const told = { at: 51, reason: 'session-expired' };
    expect(marginsOf(history({ grants: [grant({ ...lost, told }), next] }))).toEqual([9]);
  });
});

describe('breaks', () => {
  const lost = { token: 1n, enteredAt: 0, heldAt: 50, told: { at: 51, reason: 'broken' } };
  const next = grant({ ...during(60), token: 2n });
  const broken = { key: 'k', node: nodeOf(1n), answeredAt: 55 };

  it('accepts a holder that was told before the next one entered, and before its breaker had the answer', () => {
    expect(judge({ grants: [grant(lost), next], breaks: [broken] })).toEqual([]);
  });

  it('finds a holder who says later that it holds the lock', () => {
    const breaks = [{ ...broken, answeredAt: 49 }];
    expect(judge({ grants: [grant(lost), next], breaks })).toEqual(['notice']);
    for (const other of [{ key: 'other' }, { node: nodeOf(7n) }]) {
      expect(judge({ grants: [grant(lost), next], breaks: [{ ...breaks[0]!, ...other }] })).toEqual([]); // prettier-ignore
    }
  });

  it('excuses a holder whose session was ended meanwhile', () => {
    const breaks = [{ ...broken, answeredAt: 49 }];
    const deletions = [{ key: 'k', node: nodeOf(1n), at: 48, isSilent: true }];
    expect(judge({ grants: [grant(lost), next], breaks, deletions })).toEqual([]);
  });

  it('finds one that was told late, unless its lock was broken by force', () => {
    const grants = [grant({ ...lost, heldAt: 58, told: { at: 80, reason: 'broken' } }), next];
    expect(judge({ grants })).toEqual(['notice']);
    expect(judge({ grants, deletions: [{ key: 'k', node: nodeOf(7n), at: 50 }] })).toEqual([
      'notice',
    ]);
    expect(judge({ grants, deletions: [{ key: 'k', node: nodeOf(1n), at: 50 }] })).toEqual([]);
  });
});
