import { expect, it } from 'vitest';
import { treeContender, treeKey } from '../../../../test/support/tree-keys.js';
import { History, type TreeContender, type TreeKey } from 'zk-locks/inspect';
import { drawKeys } from './draw-history.js';

const holderOf = (name: string, at: number): TreeContender =>
  treeContender({
    ...{ node: name, session: name, queuedAt: new Date(at), heldSince: new Date(at) },
    holder: { host: 'web-1', pid: 7, application: name, since: '' },
  });

const heldBy = (holder: TreeContender): TreeKey => treeKey({ holders: [holder] });

it('names the current holder and the latest ones before it, by their letters', () => {
  const history = new History();
  history.look(0);
  let before: TreeKey | undefined;
  for (const [index, name] of ['ann', 'ben', 'cid', 'dan', 'eve'].entries()) {
    const at = (index + 1) * 10_000;
    const after = heldBy(holderOf(name, at));
    const told = { toldAt: () => at, brokenBy: () => undefined };
    history.note({ key: 'k', before, after, seenAt: at, hasGap: false, ...told });
    before = after;
  }
  const canvas = { only: undefined, now: 60_000, columns: 60, rows: 24 };
  const [, note, , , held, , ...legend] = drawKeys(history, new Map([['k', before!]]), canvas);
  expect(note).toBe('Hand-overs in memory are not seen.');
  expect(held).toMatch(/^·+A+B+C+D+E+$/);
  expect(legend).toEqual([
    '  C  cid on web-1 (pid 7)',
    '  D  dan on web-1 (pid 7)',
    '  E  eve on web-1 (pid 7)',
  ]);
});
