import { describe, expect, it } from 'vitest';
import type { Grant, Wait } from '../history/history.js';
import { during, grant, judge, nodeOf, reader } from './a-history.js';

describe('cohorts', () => {
  const process = 'cohort.1';
  const handedOn = (indices: readonly number[], given: Partial<Grant> = {}): Grant[] =>
    indices.map((index) =>
      grant({ process, ...during(index * 20), ...given, index: BigInt(index) }),
    );
  const asked = { process, key: 'k', kind: 'write', askedAt: 0 } as const;

  it('finds one that serves more calls under a node than it may', () => {
    expect(judge({ grants: handedOn([0, 1, 2]) })).toEqual([]);
    expect(judge({ grants: handedOn([0, 1, 2, 3]) })).toEqual(['fairness']);
    expect(judge({ grants: handedOn([0, 1], { process: 'other.1' }) })).toEqual([]);
  });

  it('finds two readers with one token', () => {
    expect(judge({ grants: handedOn([0, 1], reader) })).toEqual([]);
    expect(judge({ grants: handedOn([1, 1], reader) })).toEqual(['fencing']);
  });

  it('finds a call that was passed by a later one of its process, but for a try', () => {
    const [first, second] = handedOn([0, 1]);
    const grants = [{ ...first!, wait: 2 }, { ...second!, wait: 1 }]; // prettier-ignore
    const waits = [1, 2].map((number) => ({ ...asked, number, answer: { at: 1, outcome: 'granted' } })); // prettier-ignore
    expect(judge({ grants, waits })).toEqual(['fairness']);
    expect(judge({ grants: grants.map((one) => ({ ...one, key: String(one.wait) })), waits })).toEqual([]); // prettier-ignore
    const tries = waits.map((wait) => ({ ...wait, patienceMs: 0 }));
    expect(judge({ grants, waits: tries })).toEqual([]);
  });

  it('accepts readers of two nodes, where a later call joins the lower node', () => {
    const [lower, higher] = handedOn([0, 1], reader);
    const grants = [{ ...higher!, wait: 1 }, { ...lower!, wait: 2 }]; // prettier-ignore
    expect(judge({ grants })).toEqual([]);
    expect(judge({ grants: grants.toReversed() })).toEqual(['fairness']);
  });

  it('excuses a call that got the lock after an operator had deleted its node', () => {
    const next = grant({ token: 2n, enteredAt: 55, heldAt: 70 });
    const late = { process, token: 1n, enteredAt: 56, heldAt: 57 };
    const judgeWith = (index: bigint, czxid: bigint) =>
      judge({
        grants: [next, grant({ ...late, index })],
        deletions: [{ key: 'k', node: nodeOf(czxid, true), at: 54 }],
      });
    const broken = ['exclusion', 'fencing', 'fairness'];
    expect(judgeWith(1n, 1n)).toEqual([]);
    expect(judgeWith(1n, 7n)).toEqual(broken);
  });
});

describe('waits', () => {
  const asked = { process: 'p', number: 1, key: 'k', kind: 'write', askedAt: 0 } as const;
  const answered = (outcome: string, at: number, patienceMs?: number): Wait => ({
    ...asked,
    patienceMs,
    answer: { at, outcome },
  });

  it.each([
    ['was never answered', asked],
    ['failed without having been given a limit', answered('LOCK_TIMEOUT', 50)],
    [
      'failed by an error that has nothing to do with its limit',
      answered('LOCK_DIRECTORY_FOREIGN', 50, 50),
    ],
    ['lost a lock that it had not', answered('LOCK_LOST', 50, 50)],
    ['gave up too early', answered('LOCK_TIMEOUT', 40, 50)],
    ['gave up too late', answered('LOCK_ABORTED', 200, 50)],
  ] as const)('finds one that %s', (_, wait) => {
    expect(judge({ waits: [wait] })).toEqual(['waiting']);
  });

  it('accepts a grant, a limit that is over, and what a killed process did not hear any more', () => {
    const waits = [answered('granted', 900), answered('LOCK_TIMEOUT', 52, 50), asked];
    expect(judge({ waits, deaths: new Map([['p', 10]]) })).toEqual([]);
  });

  it('allows for the time in which the process stood still', () => {
    const waits = [answered('LOCK_TIMEOUT', 500, 50)];
    expect(judge({ waits, stalls: [{ process: 'p', from: 20, at: 480 }] })).toEqual([]);
  });

  it('accepts an error that the documentation tells for a time and a key, and finds others', () => {
    const code = 'LOCK_DIRECTORY_FOREIGN';
    const waits = [{ ...answered(code, 50), key: 'a+b' }];
    const expected = { code, key: 'b', from: 20, until: 40 };
    expect(judge({ waits, expectedErrors: [expected] })).toEqual([]);
    for (const other of [{ code: 'other' }, { key: 'c' }, { from: 60 }, { until: -10 }])
      expect(judge({ waits, expectedErrors: [{ ...expected, ...other }] })).toEqual(['waiting']);
  });

  it('finds every error that no call should throw', () => {
    expect(judge({ errors: [{ process: 'p', error: 'TypeError' }] })).toEqual(['errors']);
  });
});
