import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { treeContender, treeKey } from '../../../../test/support/tree-keys.js';
import type { LockTree } from '../tree/lock-tree.js';
import type { TreeChange } from '../tree/tree-change.js';
import { followTree } from './follow-tree.js';
import { History } from './history.js';

it('reports nothing once it is stopped, not even what it has seen before', async () => {
  let isRead!: () => void;
  const update = vi.fn(() => new Promise<void>((resolve) => (isRead = resolve)));
  let tell!: () => void;
  let see!: (change: TreeChange) => void;
  const tree = {
    ...{ now: () => 1_000, update },
    onChange: (listener: () => void) => ((tell = listener), () => undefined),
    onKey: (listener: (change: TreeChange) => void) => ((see = listener), () => undefined),
    session: { onState: () => () => undefined },
  } as unknown as LockTree;
  const onEvents = vi.fn();
  const stop = followTree(tree, new History(), onEvents);
  tell();
  await expect.poll(() => update).toHaveBeenCalled();
  const after = treeKey({ holders: [treeContender()] });
  const change = { key: 'k', before: undefined, after, seenAt: 1_000, hasGap: false };
  see({ ...change, toldAt: () => 1_000, brokenBy: () => undefined });
  stop();
  isRead();
  await nextTurn();
  expect(onEvents).not.toHaveBeenCalled();
});

it('begins a gap when the connection is lost, even if a read ends after that', async () => {
  let isRead!: () => void;
  const update = vi.fn(() => new Promise<void>((resolve) => (isRead = resolve)));
  let tell!: () => void;
  let change!: (state: { readonly name: string }) => void;
  const session = {
    snapshot: { state: { name: 'connected' } },
    onState: (listener: typeof change) => ((change = listener), () => undefined),
  };
  const tree = {
    ...{ now: () => 1_000, update, session, onKey: () => () => undefined },
    onChange: (listener: () => void) => ((tell = listener), () => undefined),
  } as unknown as LockTree;
  const history = new History();
  history.look(0);
  onTestFinished(followTree(tree, history));
  tell();
  await expect.poll(() => update).toHaveBeenCalled();
  session.snapshot.state.name = 'suspended';
  change({ name: 'suspended' });
  isRead();
  await nextTurn();
  expect(history.gaps).toEqual([{ from: 1_000 }]);
});
