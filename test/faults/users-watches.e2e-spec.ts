import { expect, it, onTestFinished, vi } from 'vitest';
import { LockAbortedError, type ZkClient, type ZnodeEvent } from 'zk-locks';
import { type TestLocks } from '../support/locks.js';
import { openTwo, type SharedPlace } from '../support/place.js';
import { openSemaphorePlace } from '../support/semaphores.js';
import { waitFor } from '../support/wait-for.js';

const LONG_MS = 60_000;

interface Watcher {
  readonly events: string[];
  /** Resolves with the events up to the next gap, once the server has set the watch. */
  whenSet(): Promise<void>;
  stop(): void;
}

function watch(zk: ZkClient, path: string, recursive: boolean): Watcher {
  const events: string[] = [];
  const onEvent = ({ type, path: where }: ZnodeEvent): void =>
    void events.push(`${type} ${where.slice(path.length)}`);
  const stop = zk.onChange(path, onEvent, { recursive });
  onTestFinished(stop);
  const whenSet = async (): Promise<void> => {
    await waitFor(() => events.includes('gap '), { what: 'the watch to be set' });
    events.length = 0;
  };
  return { events, whenSet, stop };
}

/** Resolves when `start` has listed the directory with a watch, and the answer has arrived. */
async function untilListed<T>(
  { session }: TestLocks,
  directory: string,
  start: () => T,
): Promise<T> {
  const list = vi.spyOn(session, 'list');
  const started = start();
  await waitFor(() => list.mock.calls.some(([, path, more]) => path === directory && more?.watch), {
    what: `a watch of the children of ${directory}`,
  });
  list.mockRestore();
  await session.sync(session.connectedLease!, directory);
  return started;
}

/** A user's calls beside a watch of the locks, which the locks set at `whenSet`. */
type Story = (
  zk: ZkClient,
  path: string,
  recursive: boolean,
  locksWatch: () => Promise<unknown>,
) => Promise<void>;

const STORIES: Record<string, Story> = {
  'before theirs': async (zk, path, recursive, locksWatch) => {
    await watch(zk, path, recursive).whenSet();
    await locksWatch();
  },
  'before theirs, and ends it': async (zk, path, recursive, locksWatch) => {
    const watcher = watch(zk, path, recursive);
    await watcher.whenSet();
    await locksWatch();
    watcher.stop();
    // Answered after the requests that end the watch.
    await zk.list(path);
  },
  'behind theirs': async (zk, path, recursive, locksWatch) => {
    await locksWatch();
    await watch(zk, path, recursive).whenSet();
  },
  'behind theirs, and ends it': async (zk, path, recursive, locksWatch) => {
    await locksWatch();
    const watcher = watch(zk, path, recursive);
    await watcher.whenSet();
    watcher.stop();
    await zk.list(path);
  },
  'behind theirs, then of the other kind': async (zk, path, recursive, locksWatch) => {
    await locksWatch();
    const first = watch(zk, path, recursive);
    await first.whenSet();
    await watch(zk, path, !recursive).whenSet();
    first.stop();
    await zk.list(path);
  },
  'above theirs, and ends it': async (zk, path, recursive, locksWatch) => {
    const watcher = watch(zk, path.slice(0, path.lastIndexOf('/')), recursive);
    await watcher.whenSet();
    await locksWatch();
    watcher.stop();
    await zk.list(path);
  },
  'of the whole tree': async (zk, _, recursive, locksWatch) => {
    await locksWatch();
    await watch(zk, '/', recursive).whenSet();
  },
};
const CASES = Object.keys(STORIES).flatMap((when) => [
  { when, recursive: true },
  { when, recursive: false },
]);

it.each(CASES)(
  'a free permit goes to the waiting call, although a user sets a watch $when (recursive: $recursive)',
  async ({ when, recursive }) => {
    const { join, directory } = await openSemaphorePlace();
    const [others] = await join(1);
    const [semaphore, locks] = await join(1);
    const held = await others.acquire();
    const leases = `${directory}/leases`;
    const waiting: ReturnType<typeof semaphore.acquire>[] = [];
    await STORIES[when]!(locks.client, leases, recursive, () =>
      untilListed(locks, leases, () => {
        waiting.push(semaphore.acquire({ timeoutMs: LONG_MS }));
      }),
    );
    await held.release();
    await using permit = await waiting[0]!;
    expect(permit.isHeld).toBe(true);
  },
);

it.each(CASES)(
  'a kept lock is kept, although a user sets a watch $when (recursive: $recursive)',
  async ({ when, recursive }) => {
    const place = await openTwo({ cohort: { keepMs: LONG_MS } });
    const { locks, directory, queue } = place;
    await STORIES[when]!(locks.client, directory, recursive, () =>
      untilListed(locks, directory, () => locks.withLock('k', () => undefined)),
    );
    const kept = await queue();
    expect(kept).toHaveLength(1);
    for (let times = 0; times < 3; times++) await locks.withLock('k', () => undefined);
    expect(await queue()).toEqual(kept);
  },
);

/** A holder, a waiting call of the watching process, and the node that it waits for. */
async function contended(place: SharedPlace, signal?: AbortSignal) {
  const { locks, others, queue, queued, directory } = place;
  const holder = await others.acquire('k');
  const [first = ''] = await queue();
  const node = `${directory}/${first}`;
  const waiting: ReturnType<typeof locks.acquire>[] = [];
  const wait = async (): Promise<void> => {
    const get = vi.spyOn(locks.session, 'get');
    waiting.push(locks.acquire('k', { timeoutMs: LONG_MS, signal }));
    await queued(2);
    await waitFor(() => get.mock.calls.some(([, path]) => path === node), {
      what: 'the node in the way to be watched',
    });
    get.mockRestore();
  };
  return { holder, node, wait, waiting };
}

it.each(CASES)(
  'a waiter learns that its turn has come, although a user sets a watch $when (recursive: $recursive)',
  async ({ when, recursive }) => {
    const place = await openTwo();
    const { holder, node, wait, waiting } = await contended(place);
    await STORIES[when]!(place.locks.client, node, recursive, wait);
    await holder.release();
    await using lock = await waiting[0]!;
    expect(lock.isHeld).toBe(true);
  },
);

it.each([true, false])(
  'a user gets all events of a node that locks also watch, without gaps (recursive: %s)',
  async (recursive) => {
    const place = await openTwo();
    const { locks, others } = place;
    const stop = new AbortController();
    const { holder, node, wait, waiting } = await contended(place, stop.signal);
    const before = watch(locks.client, node, recursive);
    await before.whenSet();
    await wait();
    const behind = watch(locks.client, node, recursive);
    await behind.whenSet();
    const both = [before, behind];
    for (let round = 1; round <= 4; round++) {
      expect(await others.revoke('k')).toBe(1);
      await waitFor(() => both.every(({ events }) => events.length === round), {
        what: 'the change to be told',
      });
      if (round > 1) continue;
      // From here on, the locks no longer watch the node.
      stop.abort();
      await expect(waiting[0]).rejects.toThrow(LockAbortedError);
    }
    await holder.release();
    const all = ['changed ', 'changed ', 'changed ', 'changed ', 'deleted '];
    await waitFor(() => both.every(({ events }) => events.length >= all.length), {
      what: 'the deletion to be told',
    });
    for (const { events } of both) expect(events).toEqual(all);
  },
);
