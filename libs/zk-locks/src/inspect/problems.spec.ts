import { describe, expect, it } from 'vitest';
import { treeContender, treeKey } from '../../../../test/support/tree-keys.js';
import type { TreeContender, TreeKey, TreeSight } from '../tree/tree-key.js';
import { describeProblem } from './problem-text.js';
import { type Problem, problemsOf } from './problems.js';

const NOW = 10_000_000;
const contender = (ageMs: number, more: Partial<TreeContender> = {}): TreeContender =>
  treeContender({
    queuedAt: new Date(NOW - ageMs),
    holder: { host: 'h1', pid: 7, application: 'shop', label: 'ship', since: '' },
    ...more,
  });

function problemsAt(
  keys: readonly TreeKey[],
  more: Partial<TreeSight> = {},
): ReturnType<typeof worded>[] {
  const sight: TreeSight = {
    ...{ keys: new Map(keys.map((key) => [key.key, key])), deadlocks: [], dialect: 'curator-rw' },
    ...{ areDeadlocksCut: false, areKeysCut: false, ...more },
  };
  const work = problemsOf(sight, NOW);
  for (;;) {
    const step = work.next();
    if (step.done) return step.value.worst.map(worded);
  }
}

const problemsIn = (given: Partial<TreeKey>): ReturnType<typeof worded>[] =>
  problemsAt([treeKey(given)]);

const worded = (problem: Problem) => ({ ...problem, ...describeProblem(problem) });

describe('a problem is', () => {
  it.each<[what: string, key: Partial<TreeKey>, problems: string[]]>([
    ['nothing that is young', { holders: [contender(599_000)], waiters: [contender(59_000)] }, []],
    ['a wait that is long', { waiters: [contender(61_000)] }, ['long-wait warning']],
    ['a wait that is very long', { waiters: [contender(601_000)] }, ['long-wait serious']],
    ['a hold that is long', { holders: [contender(7_000_000)] }, ['long-hold warning']],
    [
      'serious where a call waits for a very long hold',
      { holders: [contender(7_000_000)], waiters: [contender(1)] },
      ['long-hold serious'],
    ],
    [
      'not a leader, however long it leads, nor who waits to lead',
      {
        holders: [contender(7_000_000, { holder: { ...contender(0).holder!, election: true } })],
        waiters: [contender(7_000_000)],
      },
      [],
    ],
    [
      'not a lock that its process may keep, while no call waits',
      { holders: [contender(700_000, { holder: { ...contender(0).holder!, keepMs: 1 } })] },
      [],
    ],
    [
      'a node that no session owns',
      { holders: [contender(700_000, { isEphemeral: false, session: undefined })] },
      ['ownerless serious'],
    ],
    ['a counter near its end', { lastSequence: 2_000_000_000 }, ['counter-end serious']],
    ['a directory that an ACL hides', { isHidden: true }, ['hidden warning']],
    ['a child that is no lock node', { strangers: ['notes'] }, ['strangers serious']],
    ['a node that was not read', { unread: 7 }, ['unread warning']],
    [
      'a directory with two dialects',
      { dialects: ['curator-rw', 'kazoo'] },
      ['mixed-dialects serious'],
    ],
    [
      'a directory of another dialect than the configured one',
      { dialects: ['kazoo'] },
      ['other-dialect serious'],
    ],
  ])('%s', (_what, key, problems) => {
    const found = problemsIn(key);
    expect(found.map(({ kind, severity }) => `${kind} ${severity}`)).toEqual(problems);
    for (const { text, remedy } of found)
      expect(`${text} ${remedy}`).toMatch(/^.+\. .+(\.|: zkCli\.sh delete \S+)$/);
  });
});

it('names who holds or waits, with the worst problem first', () => {
  const [first, second] = problemsIn({
    holders: [contender(7_200_000, { isEphemeral: false, holder: undefined, text: '10.0.0.7' })],
    waiters: [contender(90_000)],
  });
  expect(first?.text).toBe(
    'No session owns the node n of another program ("10.0.0.7"): it blocks the key until it is deleted.',
  );
  expect(first?.remedy).toContain('zkCli.sh delete /locks/k/n');
  expect(second?.text).toBe(
    'shop on h1 (pid 7) "ship" has waited for 1 min 30 s; 1 call is waiting in total.',
  );
});

it('does not count holders that are not listed as waiting', () => {
  const listed = { holders: [contender(1)], waiters: [contender(90_000)] };
  expect(problemsIn({ ...listed, total: 6_001 })[0]?.text).toContain(
    '; 1 call is waiting in total',
  );
});

it('counts a hold from its grant if that was seen, for permits as well', () => {
  const asked = { mode: 'permit', queuedAt: new Date(NOW - 7_000_000) } as const;
  const young = contender(0, { ...asked, heldSince: new Date(NOW - 599_000) });
  expect(problemsIn({ kind: 'semaphore', holders: [young] })).toEqual([]);
  const old = contender(0, { ...asked, heldSince: new Date(NOW - 601_000) });
  expect(problemsIn({ kind: 'semaphore', holders: [old] })).toMatchObject([
    { heldMs: 601_000, text: 'shop on h1 (pid 7) "ship" has held it for 10 min 01 s.' },
  ]);
});

it('advises neither revocation nor `maxHoldMs` for permits, which have neither', () => {
  const remedy = (mode: TreeContender['mode']) =>
    problemsIn({ holders: [contender(700_000, { mode })] })[0]?.remedy;
  expect(remedy('write')).toMatch(/Revoke .*`maxHoldMs`/);
  expect(remedy('permit')).not.toMatch(/revoke|maxHoldMs/i);
});

it('advises to drain the directory of a semaphore whose counter is near its end', () => {
  const lastSequence = 2_000_000_000;
  const waiter = contender(1, { mode: 'permit', node: '_c_1-lock-2000000000' });
  const given = { kind: 'semaphore', dialects: [], lastSequence } as const;
  const remedy = (more: Partial<TreeKey> = {}) => problemsIn({ ...given, ...more })[0]?.remedy;
  expect(remedy()).toContain('zkCli.sh delete /locks/k/leases)');
  expect(remedy({ waiters: [waiter] })).toContain('zkCli.sh delete /locks/k/locks)');
});

it("names the directory of a semaphore's node, and is one line whatever strangers write", () => {
  const made = contender(1, {
    ...{ node: 'lease\n\u001b[31m', isEphemeral: false, session: undefined },
    ...{ holder: undefined, text: undefined, mode: 'permit' },
  });
  const [problem] = problemsIn({ kind: 'semaphore', holders: [made], dialects: [] });
  expect(problem?.text).toContain(': it takes a permit until it is deleted.');
  expect(problem?.remedy).toContain('/locks/k/leases/lease');
  expect(`${problem?.text} ${problem?.remedy}`).not.toMatch(/[\n\u001b]/u);
});
