import { afterEach, expect, it, vi } from 'vitest';
import { treeKey } from '../../../../test/support/tree-keys.js';
import { type KeyContext, keyView } from './key-view.js';

afterEach(() => void vi.useRealTimers());

const HELD_MS = 5_000;

it.each([3_600_000, -3_600_000])(
  "shows the right times of this process's calls if its clock is %i ms ahead of the servers'",
  (aheadMs) => {
    vi.useFakeTimers({ toFake: ['Date'], now: 10_000_000 });
    const now = Date.now() - aheadMs;
    const since = new Date(Date.now() - HELD_MS);
    const member = { mode: 'write', label: undefined, fencingToken: 7n, since } as const;
    const own = { cohort: { members: [member], waiting: 0 } } as unknown as KeyContext['own'];
    const options = { servers: 'localhost:2181' };
    const context = { own, problems: [], now, options, permits: undefined };
    const { cohort } = keyView(treeKey(), context, 0, { showsSessions: false });
    expect(now - cohort!.members[0]!.since).toBe(HELD_MS);
  },
);
