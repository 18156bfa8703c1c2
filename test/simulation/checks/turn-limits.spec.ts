import { expect, it } from 'vitest';
import type { Member } from '../ensemble/member.js';
import type { SimulatedReplica } from '../story/replica.js';
import { TurnLimits } from './turn-limits.js';

interface World {
  now: number;
}

const OWN = 5n;
const session = (sessionId: bigint, czxid: bigint) => ({
  ...{ czxid, owner: { kind: 'session', sessionId } },
});

/** Grants in one process, whose server has its node and those of others with these creation zxids. */
function judge(keepMs: number, others: readonly bigint[], grants: readonly [number, number][]) {
  const nodes = new Map([[`/locks/a/own`, session(1n, OWN)]]);
  for (const czxid of others) nodes.set(`/locks/a/${String(czxid)}`, session(2n, czxid));
  const names = [...nodes.keys()].map((path) => path.slice('/locks/a/'.length));
  const directory = { children: new Set(names) };
  const tree = { find: (path: string) => (path === '/locks/a' ? directory : nodes.get(path)) };
  const replica = { lastZxid: 6, database: { tree } };
  const member = { host: 'server', replica } as unknown as Member;
  const world: World = { now: 0 };
  const cohort = { maxHandovers: 2, maxTenureMs: 5_000, keepMs };
  const owner = {
    ...{ name: 'one.1', server: 'server', plan: { options: { cohort } } },
    process: { world, stalls: [] },
  } as unknown as SimulatedReplica;
  const broken: string[] = [];
  const limits = new TurnLimits([member], (promise) => broken.push(promise));
  for (const [index, at] of grants) {
    world.now = at;
    limits.note(at);
    const token = String(OWN * 1_024n + BigInt(index));
    const lock = { key: 'a', kind: 'write', access: 'exclusive', queued: true } as const;
    limits.onEntered(owner, { type: 'entered', grant: index, holding: index, ...lock, token, at });
    // Whatever comes later was not there before.
    replica.lastZxid = 10;
  }
  return broken;
}

it('finds more hand-overs than are allowed, and those that come too late', () => {
  expect(
    judge(
      0,
      [],
      [
        [0, 0],
        [2, 1],
      ],
    ),
  ).toEqual([]);
  expect(
    judge(
      0,
      [],
      [
        [0, 0],
        [3, 1],
      ],
    ),
  ).toEqual(['tenure']);
  expect(
    judge(
      0,
      [],
      [
        [0, 0],
        [1, 5_100],
      ],
    ),
  ).toEqual(['tenure']);
});

it('allows any number under a kept node without others', () => {
  expect(
    judge(
      50,
      [],
      [
        [0, 0],
        [3, 6_000],
      ],
    ),
  ).toEqual([]);
});

it('finds those under a kept node beside one that was there before, or since long', () => {
  expect(
    judge(
      50,
      [6n],
      [
        [0, 0],
        [3, 1],
      ],
    ),
  ).toEqual(['tenure']);
  expect(
    judge(
      50,
      [7n],
      [
        [0, 0],
        [3, 1],
      ],
    ),
  ).toEqual([]);
  expect(
    judge(
      50,
      [7n],
      [
        [0, 0],
        [1, 200],
        [3, 1_300],
      ],
    ),
  ).toEqual(['tenure']);
});
