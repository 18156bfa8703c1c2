import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
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
  await vi.waitFor(() => expect(update).toHaveBeenCalled());
  const after = treeKey({ holders: [treeContender()] });
  const change = { key: 'k', before: undefined, after, seenAt: 1_000, hasGap: false };
  see({ ...change, toldAt: () => 1_000, brokenBy: () => undefined });
  stop();
  isRead();
  await nextTurn();
  expect(onEvents).not.toHaveBeenCalled();
});
