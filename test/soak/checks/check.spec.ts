import type { LockNode } from '../history/lock-node.js';
import { describe, expect, it } from 'vitest';
import type { Deletion, Grant, History, Violation, Wait } from '../history/history.js';
import { check } from './check.js';
import type { Tokens } from './fencing.js';
import { marginsOf } from './notice.js';

const terms = { permits: 3, lateMs: 100, handovers: new Map([['cohort', 2]]) };

let numbers = 0;

/** A token: the grant of that index under a node. */
const tokenOf = (czxid: bigint, index = 0n): bigint => czxid * 1_024n + index;
const nodeOf = (czxid: bigint, isShared = false): LockNode => ({
  ...{ token: tokenOf(czxid), isShared },
});

/**
 * A writer that entered at 100 and left at 200, unless said otherwise; of its token only the node's
 * part.
 */
function grant({ index, ...given }: Partial<Grant> & { index?: bigint } = {}): Grant {
  const id = `p#${String(++numbers)}`;
  const whole = {
    process: 'p',
    holding: id,
    key: 'k',
    kind: 'write',
    access: 'exclusive',
  } as const;
  const times = { token: 1n, queued: true, enteredAt: 100, heldAt: 200 };
  const one: Grant = { id, ...whole, ...times, ...given };
  return { ...one, token: one.token === undefined ? undefined : tokenOf(one.token, index) };
}

/** Ten milliseconds from `at` on. */
const during = (at: number): Partial<Grant> => ({
  enteredAt: at,
  heldAt: at + 10,
});

const reader = { kind: 'read', access: 'shared' } as const;

function history(given: Partial<History> = {}): History {
  return {
    ...{
      grants: [],
      waits: [],
      writes: [],
      refusals: [],
      stalls: [],
      clockChanges: [],
      errors: [],
    },
    ...{ deletions: [], breaks: [], expectedErrors: [], deaths: new Map<string, number>() },
    ...given,
  };
}

function judge(given: Partial<History>, tokens: Tokens = new Map()): string[] {
  return check(history(given), tokens, terms).map(({ promise }: Violation) => promise);
}

describe('a history without faults', () => {
  const grants = [
    grant({ ...during(0), token: 1n }),
    grant({ ...during(20), ...reader, token: 2n }),
    grant({ ...during(22), ...reader, token: 3n }),
    grant({ ...during(40), token: 4n }),
    grant({ ...during(5), key: 'other', token: 9n }),
  ];

  it('has no violations, in any order of its entries', () => {
    expect(judge({ grants })).toEqual([]);
    expect(judge({ grants: grants.toReversed() })).toEqual([]);
  });

  it('raises the tokens that later rounds are compared with', () => {
    const tokens: Tokens = new Map();
    judge({ grants }, tokens);
    expect(tokens).toEqual(new Map([['k', tokenOf(4n)], ['other', tokenOf(9n)]])); // prettier-ignore
  });
});

describe('exclusion', () => {
  it.each([
    ['two writers', {}, {}],
    ['a writer among readers', reader, {}],
    ['a reader beside a writer', {}, reader],
    ['a leader beside another', { kind: 'leader' }, { kind: 'leader' }],
  ] as const)('finds %s', (_, one, other) => {
    const grants = [
      grant({ ...one, token: 1n, enteredAt: 0, heldAt: 10 }),
      grant({ ...other, token: 2n, enteredAt: 10, heldAt: 20 }),
    ];
    expect(judge({ grants })).toEqual(['exclusion']);
  });

  it('finds a writer who stayed while many others came and went', () => {
    const stayed = grant({ enteredAt: 0, heldAt: 1_000, token: 1n });
    const others = [2, 3, 4].map((token) =>
      grant({ ...during(token * 100), token: BigInt(token) }),
    );
    expect(judge({ grants: [stayed, ...others] })).toEqual(Array(3).fill('exclusion'));
  });

  it('lets readers, other keys and the parts of one holding be', () => {
    const holding = 'p#upgradable';
    const upgraded = { queued: false, token: 1n };
    const grants = [
      grant({ ...reader, holding, token: 1n, enteredAt: 0, heldAt: 100 }),
      grant({ kind: 'upgradable', holding, ...upgraded, enteredAt: 50, heldAt: 60 }),
      grant({ ...reader, key: 'other', token: 1n, enteredAt: 0, heldAt: 100 }),
      grant({ ...reader, key: 'other', token: 2n, enteredAt: 10, heldAt: 90 }),
    ];
    expect(judge({ grants })).toEqual([]);
  });

  const broken = ['exclusion', 'fencing', 'fairness'];
  const told = (reason = 'node-deleted') => ({ at: 60, reason });
  const hold = (token: bigint, enteredAt: number, heldAt: number, given: Partial<Grant> = {}) =>
    grant({ token, enteredAt, heldAt, ...given });
  const deleted = (czxid: bigint | undefined, at: number, given: Partial<Deletion> = {}) => ({
    ...{ key: 'k', node: czxid === undefined ? undefined : nodeOf(czxid), at },
    ...given,
  });
  /** Stays until 58, and the next one enters at 55. */
  const former = (given: Partial<Grant> = {}): Grant[] => [
    hold(1n, 0, 58, given),
    hold(2n, 55, 70),
  ];
  /** Enters at 56 and leaves at once, after one that was behind it. */
  const late = (given: Partial<Grant> = {}): Grant[] => [
    hold(1n, 56, 56, { told: told(), ...given }),
    hold(2n, 55, 70),
  ];
  /** A reader, which took the place of another node of its replica. */
  const replacing = { ...reader, process: 'one.1', queued: false };

  it.each<[string, Grant[], Deletion[], string[]]>([
    ['left before it could hear of it', former(), [deleted(1n, 50)], []],
    ['left, and another node was deleted', former(), [deleted(7n, 50)], ['exclusion']],
    ['left, and its node was deleted later', former(), [deleted(1n, 56)], ['exclusion']],
    ['left, and who knows which was deleted', former(), [deleted(undefined, 50)], ['exclusion']],
    ['heard of it', former({ told: told() }), [deleted(undefined, 50)], []],
    [
      'heard of it, and was there before the deletion',
      [hold(1n, 0, 58, { told: told() }), hold(2n, 45, 70)],
      [deleted(undefined, 50)],
      ['exclusion'],
    ],
    [
      'heard of the deletion of another node',
      [hold(1n, 0, 58, { told: told() }), hold(2n, 45, 70)],
      [deleted(7n, 40)],
      [],
    ],
    [
      'heard of it, after another node was deleted',
      [hold(1n, 0, 58, { told: told() }), hold(2n, 45, 70)],
      [deleted(7n, 40), deleted(1n, 50)],
      ['exclusion'],
    ],
    ['had another node', former(replacing), [deleted(7n, 50, { replica: 'one' })], []],
    [
      'had its own place',
      former({ ...replacing, queued: true }),
      [deleted(7n, 50, { replica: 'one' })],
      ['exclusion'],
    ],
    ['is another', former(replacing), [deleted(7n, 50, { replica: 'two' })], ['exclusion']],
    ['is unknown', former(replacing), [deleted(7n, 50)], ['exclusion']],
    ['was late', former(replacing), [deleted(7n, 56, { replica: 'one' })], ['exclusion']],
    ['was let in by older news, and heard', late(), [deleted(1n, 54)], []],
    ['was let in by older news, and left', late({ told: undefined }), [deleted(1n, 54)], []],
    ['was let in, and another was deleted', late(), [deleted(7n, 54)], broken],
    ['was let in before the deletion', late(), [deleted(1n, 56.5)], broken],
    ['was let in long after it', late(), [deleted(1n, -1_000)], broken],
    ['lost it otherwise', late({ told: told('lease-expired') }), [deleted(1n, 54)], broken],
    [
      'could not hear, and lost it otherwise',
      late({ told: told('lease-expired') }),
      [deleted(1n, 54, { isSilent: true })],
      [],
    ],
    [
      'heard of the deletion of the node of another replica',
      former({ told: told(), process: 'one.1' }),
      [deleted(7n, 50, { replica: 'two' })],
      ['exclusion'],
    ],
    ['never heard', late({ told: undefined, heldAt: 355 }), [deleted(1n, 54)], broken],
    [
      'stayed for as long as the servers took',
      late({ told: undefined, heldAt: 355 }),
      [deleted(1n, 54, { answeredAt: 60 })],
      [],
    ],
  ])('judges a holder by what an operator deleted: it %s', (_, grants, deletions, expected) => {
    expect(judge({ grants, deletions })).toEqual(expected);
  });

  it('lets a holder be that stood still, and found its lease over before it heard of the deletion', () => {
    const grants = former({ told: told('lease-expired') });
    const deletions = [deleted(1n, 50)];
    expect(judge({ grants, deletions })).not.toEqual([]);
    expect(judge({ grants, deletions, stalls: [{ process: 'p', from: 40, at: 59 }] })).toEqual([]);
    expect(judge({ grants, deletions, stalls: [{ process: 'q', from: 40, at: 59 }] })).not.toEqual([]); // prettier-ignore
  });
});

describe('permits', () => {
  const pool = { key: 'pool', kind: 'permits', access: 'permit', token: undefined } as const;

  it('finds one too many', () => {
    const grants = [
      grant({ ...pool, permits: 2, enteredAt: 0, heldAt: 50 }),
      grant({ ...pool, permits: 2, enteredAt: 50, heldAt: 60 }),
    ];
    expect(judge({ grants })).toEqual(['permits']);
  });

  it('lets as many in as there are', () => {
    const grants = [
      grant({ ...pool, permits: 2, enteredAt: 0, heldAt: 50 }),
      grant({ ...pool, permits: 1, enteredAt: 10, heldAt: 60 }),
      grant({ ...pool, permits: 2, enteredAt: 51, heldAt: 60 }),
    ];
    expect(judge({ grants })).toEqual([]);
  });
});

describe('fencing', () => {
  it('finds a token that does not rise, also from one round to the next', () => {
    const kind = 'leader';
    const [one, other] = [grant({ ...during(0), kind }), grant({ ...during(20), kind })];
    expect(judge({ grants: [one, other] })).toEqual(['fencing']);
    const tokens = new Map([['k', tokenOf(7n)]]);
    expect(judge({ grants: [grant({ token: 7n })] }, tokens)).toEqual(['fencing']);
  });

  it('finds a stale write that was accepted', () => {
    const write = { process: 'p', key: 'k', accepted: true };
    const writes = [
      { ...write, token: 2n, at: 2 },
      { ...write, token: 1n, at: 3 },
      { ...write, token: 1n, at: 1 },
    ];
    expect(judge({ writes })).toEqual(['fencing']);
    expect(judge({ writes: [{ ...writes[1]!, accepted: false }, writes[0]!] })).toEqual([]);
  });

  it('finds a refused write whose lock still says that it is held', () => {
    const refusal = { grant: grant(), isHeld: true, at: 150 };
    expect(judge({ refusals: [refusal] })).toEqual(['fencing']);
    expect(judge({ refusals: [{ ...refusal, isHeld: false }] })).toEqual([]);
    expect(judge({ refusals: [refusal], deletions: [{ key: 'k', at: 140 }] })).toEqual([]);
  });
});

describe('fairness', () => {
  it('finds a reader who was passed by a writer, and a writer by a reader', () => {
    const late = { ...during(20), token: 1n };
    expect(judge({ grants: [grant({ ...during(0), token: 2n }), grant({ ...reader, ...late })] })).toEqual(['fairness']); // prettier-ignore
    expect(judge({ grants: [grant({ ...reader, ...during(0), token: 2n }), grant(late)] })).toEqual(['fairness']); // prettier-ignore
  });

  it('lets readers enter in any order, and those who have another place', () => {
    const first = grant({ ...reader, ...during(0), token: 3n });
    const second = grant({ ...reader, ...during(1), token: 2n });
    const upgraded = grant({ ...during(20), kind: 'upgradable', queued: false, token: 2n });
    expect(judge({ grants: [first, second, upgraded] })).toEqual([]);
  });
});

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
