import { describe, expect, it } from 'vitest';
import type { Deletion, Grant } from '../history/history.js';
import type { Tokens } from './fencing.js';
import { during, grant, judge, nodeOf, reader, tokenOf } from './a-history.js';

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
