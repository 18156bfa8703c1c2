import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Session } from '../session/session.js';
import type { LeaseListener } from '../session/session-lease.js';
import type { SessionLease } from '../session/session-lease.js';
import { LateNodes } from './late-nodes.js';

const TIMEOUT_MS = 6_000;
const PERIOD_MS = 1_000;

function open() {
  const shown: Record<string, string[]> = { '/k': [] };
  const removed: string[] = [];
  const looks = vi.fn((_: SessionLease, directory: string) =>
    directory in shown
      ? Promise.resolve(shown[directory] ?? [])
      : Promise.reject(new Error('no connection')),
  );
  const session = { list: looks } as unknown as Session;
  let end: () => void = () => undefined;
  const lease = {
    timeoutMs: TIMEOUT_MS,
    listen: ({ onLeaseEnd }: LeaseListener) => {
      end = () => onLeaseEnd('session-expired');
    },
    unlisten: () => undefined,
  } as unknown as SessionLease;
  const late = new LateNodes(session, 300_000, (_, path) => void removed.push(path));
  return { shown, removed, looks, lease, late, endSession: () => end() };
}

describe('nodes that come late', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('removes the node whose creation was given up, whenever it appears, and no other', async () => {
    const { late, lease, shown, removed } = open();
    late.expect(lease, '/k', '_c_1-');
    await vi.advanceTimersByTimeAsync(3 * PERIOD_MS);
    expect(removed).toEqual([]);
    shown['/k'] = ['_c_2-0000000001', '_c_1-0000000002'];
    await vi.advanceTimersByTimeAsync(PERIOD_MS);
    expect(removed).toEqual(['/k/_c_1-0000000002']);
    await vi.advanceTimersByTimeAsync(3 * PERIOD_MS);
    expect(removed).toHaveLength(1);
  });

  it('looks for a new one soon, however long it has waited for another one', async () => {
    const { late, lease, shown, removed } = open();
    late.expect(lease, '/k', '_c_1-');
    await vi.advanceTimersByTimeAsync(60 * PERIOD_MS);
    late.expect(lease, '/k', '_c_2-');
    shown['/k'] = ['_c_2-0000000001'];
    await vi.advanceTimersByTimeAsync(PERIOD_MS);
    expect(removed).toEqual(['/k/_c_2-0000000001']);
  });

  it('looks once more if the process has stalled until the time was up', async () => {
    const { late, lease, shown, removed, looks } = open();
    late.expect(lease, '/k', '_c_1-');
    shown['/k'] = ['_c_1-0000000002'];
    const stalled = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 400_000);
    onTestFinished(() => stalled.mockRestore());
    await vi.advanceTimersByTimeAsync(PERIOD_MS);
    expect(removed).toEqual(['/k/_c_1-0000000002']);
    await vi.advanceTimersByTimeAsync(3 * PERIOD_MS);
    expect(looks).toHaveBeenCalledOnce();
  });

  it.each([
    ['its session is over', 0, ({ endSession }: ReturnType<typeof open>) => endSession()],
    ['no follower can hold it back any longer', 300_000 + 2 * TIMEOUT_MS, () => undefined],
    ['the locks are closed', 0, ({ late }: ReturnType<typeof open>) => late.stop()],
  ])('stops looking once %s', async (_, afterMs, happens) => {
    const all = open();
    all.late.expect(all.lease, '/k', '_c_1-');
    await vi.advanceTimersByTimeAsync(afterMs);
    happens(all);
    all.looks.mockClear();
    all.shown['/k'] = ['_c_1-0000000002'];
    await vi.advanceTimersByTimeAsync(10 * PERIOD_MS);
    expect(all.removed).toEqual([]);
    expect(all.looks).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });
});
