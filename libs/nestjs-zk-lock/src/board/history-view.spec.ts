import { expect, it } from 'vitest';
import { treeContender, treeKey } from '../../../../test/support/tree-keys.js';
import { History, type TreeContender, type TreeKey } from 'zk-locks/inspect';
import { historyView } from './history-view.js';

/** Each has two events, of which 200 are kept. */
const HOLDS = 100;

const one = (label: string, at: number): TreeContender =>
  treeContender({
    ...{ node: `n-${at}`, session: `s-${label}`, queuedAt: new Date(at) },
    holder: { host: 'h1', pid: 7, label, since: '' },
  });

const heldBy = (...holders: TreeContender[]): TreeKey => treeKey({ holders });

it('names contenders in one order, whichever of their events are still kept', () => {
  const history = new History();
  history.look(0);
  const change = { key: 'k', hasGap: false, brokenBy: () => undefined } as const;
  const orders = new Set<string>();
  for (let at = 1; at <= HOLDS + 1; at++) {
    const held = heldBy(one(at % 2 === 0 ? 'refund' : 'ship', at));
    const time = { seenAt: at, toldAt: () => at };
    history.note({ ...change, ...time, before: heldBy(), after: held });
    history.note({ ...change, ...time, before: held, after: heldBy() });
    if (at < HOLDS) continue;
    const { who = [], events = [] } = historyView(history, 'k', heldBy()) ?? {};
    orders.add(who.map(({ label }) => label).join());
    expect(who[events.at(-1)!.who]?.label).toBe(at % 2 === 0 ? 'refund' : 'ship');
  }
  expect([...orders]).toEqual(['refund,ship']);
});

it('shows the holds of the listed holders, and does not claim that any other hold has ended', () => {
  const history = new History();
  history.look(0);
  const held = heldBy(...Array.from({ length: 250 }, (_, index) => one(`reader ${index}`, index)));
  const time = { seenAt: 1_000, toldAt: () => 1_000 };
  const change = { key: 'k', hasGap: false, brokenBy: () => undefined, ...time };
  history.note({ ...change, before: heldBy(), after: held });
  const { holds } = historyView(history, 'k', held)!;
  expect(holds).toHaveLength(100);
  expect(holds.every(({ until }) => until === undefined)).toBe(true);
});
