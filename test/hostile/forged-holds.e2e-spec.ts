import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { LockTree } from 'zk-locks/inspect';
import { openInspector, openLocks, ownRoot } from '../support/locks.js';
import { longestTurnOf, onThisMachine } from '../support/loop-meter.js';
import { sharedServer } from '../support/shared-server.js';

const LAYERS = 37;
const WAITERS = 27;
const MOST_HELD = 8;

const nodeOf = (layer: number, place: number): string =>
  `_c_00000000-0000-4000-8000-${String(layer).padStart(12, '0')}-__WRIT__${String(place).padStart(10, '0')}`;

type Holds = (layer: number, place: number, index: number) => readonly [number, number];

/** 999 nodes that seem to wait, each of which says that it holds eight others. */
const FORGED: readonly [what: string, isCircle: boolean, holdsOf: Holds][] = [
  ['nodes of the next layer', false, (layer, _, index) => [layer + 1, index]],
  ['the last nodes of the next layer', false, (layer, _, index) => [layer + 1, 26 - index]],
  ['nodes of a ring of layers', true, (layer, _, index) => [(layer + 1) % LAYERS, index]],
  ['their own node and those around it', true, (layer, place, index) => [layer, place - index]],
  ['one node', false, () => [LAYERS - 1, WAITERS]],
  [
    'nodes all over',
    true,
    (layer, place, index) => [
      (layer * 5 + place * 7 + index * 11) % LAYERS,
      (place * 3 + index) % WAITERS,
    ],
  ],
];

async function openForged(holdsOf: Holds) {
  const root = ownRoot();
  const [locks, inspector] = [await openLocks({ root }), await openInspector()];
  await inspector.create(root);
  const paths: string[] = [];
  for (let layer = 0; layer < LAYERS; layer++) {
    await inspector.create(`${root}/k${layer}`);
    const created = Array.from({ length: WAITERS + 1 }, (_, place) => {
      const held = Array.from({ length: MOST_HELD }, (_none, index) =>
        holdsOf(layer, place, index),
      );
      const holds = held.map(([k, node]) => `k${k}/${nodeOf(k, node)}`);
      const data = { host: 'h', pid: 1, since: new Date().toISOString(), holds };
      // The first one holds the lock, and does not wait.
      const text = JSON.stringify(place === 0 ? { ...data, holds: undefined } : data);
      paths.push(`${root}/k${layer}/${nodeOf(layer, place)}`);
      return inspector.create(paths.at(-1)!, text, 'ephemeral');
    });
    await Promise.all(created);
  }
  const leave = async (): Promise<void> => {
    await Promise.all(paths.map((path) => inspector.delete(path)));
  };
  return { root, locks, inspector, leave };
}

describe.each(FORGED)('999 nodes that claim to hold %s', (_what, isCircle, holdsOf) => {
  it('do not stop the event loop of those who look at them', async () => {
    const { root, locks, inspector, leave } = await openForged(holdsOf);
    const tree = await LockTree.open({ servers: sharedServer().connectString, root });
    try {
      const looks = {
        deadlocks: () => locks.deadlocks(),
        inspect: () => locks.inspect('k1'),
        error: () => locks.acquire('k1', { timeoutMs: 50 }).catch(() => undefined),
        board: async () => tree.deadlocks(),
        again: async () => {
          await inspector.create(`${root}/${randomUUID()}`);
          await tree.read();
          tree.deadlocks();
        },
      };
      const mostMs = onThisMachine(50);
      const turns: Partial<Record<keyof typeof looks, number>> = {};
      for (const [name, look] of Object.entries(looks) as [
        keyof typeof looks,
        () => Promise<unknown>,
      ][]) {
        turns[name] = await longestTurnOf(look, mostMs);
      }
      for (const [name, ms] of Object.entries(turns)) expect(ms, name).toBeLessThan(mostMs);
      const { deadlocks } = await locks.deadlocks();
      expect(deadlocks.length > 0).toBe(isCircle);
    } finally {
      await tree.close();
      await leave();
    }
  });
});
