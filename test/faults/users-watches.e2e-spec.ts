import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { LockAbortedError, type ZkClient, type ZnodeEvent } from 'zk-locks';
import { reconnect, type TestLocks } from '../support/locks.js';
import { openProxy } from '../support/open-proxy.js';
import { ownNode } from '../support/own-node.js';
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

/** Resolves when `start` has listed the directory with a watch, and the server has answered. */
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

/** What users do beside a watch of the locks: each with the moment at which the locks set theirs. */
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
    // Answered behind what was sent for the end.
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
  'a permit that is free goes to the call that waits, where a user sets a watch $when (recursive: $recursive)',
  async ({ when, recursive }) => {
    const { join, directory } = await openSemaphorePlace();
    const [others] = await join(1);
    const [semaphore, locks] = await join(1);
    const held = await others.acquire();
    const leases = `${directory}/leases`;
    const waiting: ReturnType<typeof semaphore.acquire>[] = [];
    await STORIES[when]!(locks.client, leases, recursive, () =>
      untilListed(locks, leases, () => {
        waiting.push(semaphore.acquire({ timeoutMs: 5_000 }));
      }),
    );
    await held.release();
    await using permit = await waiting[0]!;
    expect(permit.isHeld).toBe(true);
  },
);

it.each(CASES)(
  'a call is let in by a shared count that is raised, where a user sets a watch $when (recursive: $recursive)',
  async ({ when, recursive }) => {
    const { join, directory } = await openSemaphorePlace();
    const sharedCount = `${await ownNode()}/counts/k`;
    const count = { sharedCount, seed: 1 };
    const [others] = await join(count);
    const [semaphore, locks] = await join(count);
    await using held = await others.acquire();
    const waiting: ReturnType<typeof semaphore.acquire>[] = [];
    await STORIES[when]!(locks.client, sharedCount, recursive, () =>
      untilListed(locks, `${directory}/leases`, () => {
        waiting.push(semaphore.acquire({ timeoutMs: 5_000 }));
      }),
    );
    await others.setPermits(2);
    await using permit = await waiting[0]!;
    expect([held.isHeld, permit.isHeld]).toEqual([true, true]);
  },
);

it.each(CASES)(
  'a kept lock is given back to a process that asks for it, where a user sets a watch $when (recursive: $recursive)',
  async ({ when, recursive }) => {
    const { locks, others, directory } = await openTwo({ cohort: { keepMs: LONG_MS } });
    await STORIES[when]!(locks.client, directory, recursive, () =>
      untilListed(locks, directory, () => locks.withLock('k', () => undefined)),
    );
    await using lock = await others.acquire('k', { timeoutMs: 5_000 });
    expect(lock.isHeld).toBe(true);
  },
);

it.each(CASES)(
  'a kept lock is kept, where a user sets a watch $when (recursive: $recursive)',
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

/** A holder, a call of the watching process that waits for it, and the node that it waits for. */
async function contended(place: SharedPlace, signal?: AbortSignal) {
  const { locks, others, queue, queued, directory } = place;
  const holder = await others.acquire('k');
  const [first = ''] = await queue();
  const node = `${directory}/${first}`;
  const waiting: ReturnType<typeof locks.acquire>[] = [];
  const wait = async (): Promise<void> => {
    const get = vi.spyOn(locks.session, 'get');
    waiting.push(locks.acquire('k', { timeoutMs: 5_000, signal }));
    await queued(2);
    await waitFor(() => get.mock.calls.some(([, path]) => path === node), {
      what: 'the node in the way to be watched',
    });
    get.mockRestore();
  };
  return { holder, node, wait, waiting };
}

it.each(CASES)(
  'a waiter hears that its turn has come, where a user sets a watch $when (recursive: $recursive)',
  async ({ when, recursive }) => {
    const place = await openTwo();
    const { holder, node, wait, waiting } = await contended(place);
    await STORIES[when]!(place.locks.client, node, recursive, wait);
    await holder.release();
    await using lock = await waiting[0]!;
    expect(lock.isHeld).toBe(true);
  },
);

it.each(CASES)(
  'a holder hears that its node was deleted, where a user sets a watch $when (recursive: $recursive)',
  async ({ when, recursive }) => {
    const place = await openTwo();
    const { locks, remove, directory } = place;
    const next = locks.acquire('k');
    await using lock = await next;
    const [name = ''] = await place.queue();
    const settled = (): Promise<void> =>
      locks.session.sync(locks.session.connectedLease!, directory);
    await STORIES[when]!(locks.client, `${directory}/${name}`, recursive, settled);
    await remove(name);
    await waitFor(() => lock.signal.aborted, { what: 'the loss to be told' });
    expect(lock.signal.reason).toMatchObject({ reason: 'node-deleted' });
  },
);

it.each([true, false])(
  'a user hears of all that happens to a node which locks watch, without gaps; recursive: %s',
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
      // From here on, the locks watch it no more.
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

it.each([1, 2])(
  'calls get their turn while users set and end watches at any moment, over lost connections; seed %i',
  async (seed) => {
    const { join, directory, root, open } = await openSemaphorePlace();
    const proxy = await openProxy();
    const [first] = await join(1);
    const [second, watching] = await join(1, {
      servers: proxy.connectString,
      cohort: { keepMs: LONG_MS },
    });
    const others = await open({ cohort: { keepMs: LONG_MS } });
    const random = randomOf(seed);
    const paths = [`${directory}/leases`, `${directory}/locks`, directory, `${root}/l`, root, '/'];
    const stops: (() => void)[] = [];
    const limit = { timeoutMs: 20_000 };
    const nothing = (): void => undefined;
    let rounds = 0;
    const sections = async (): Promise<void> => {
      for (; rounds < 40; rounds++) {
        await Promise.all([
          first.withPermit(limit, nothing),
          second.withPermit(limit, nothing),
          second.withPermit(limit, nothing),
          watching.withLock('l', limit, nothing),
          others.withLock('l', limit, nothing),
        ]);
      }
    };
    const state = { isOver: false };
    const working = sections().finally(() => (state.isOver = true));
    for (let nextCut = 10; !state.isOver;) {
      const path = paths[random(paths.length)]!;
      if (stops.length > 4 || (stops.length > 0 && random(2) === 0)) {
        stops.splice(random(stops.length), 1)[0]!();
      } else {
        stops.push(watching.client.onChange(path, () => undefined, { recursive: random(2) === 0 }));
      }
      if (rounds >= nextCut) {
        nextCut += 10;
        await reconnect(proxy, watching);
      }
      await nextTurn();
    }
    await working;
  },
);

/** Whole numbers from 0, drawn from a seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
