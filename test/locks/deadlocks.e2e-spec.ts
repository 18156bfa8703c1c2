import { AsyncResource } from 'node:async_hooks';
import { hostname } from 'node:os';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { AcquireOptions, LockTimeoutError } from 'zk-locks';
import {
  letNodesBeHidden,
  openLogged,
  ownRoot,
  refusedWithDeadlock,
  refusedWithHolders,
  type TestLocks,
} from '../support/locks.js';
import { openPlace, type Place } from '../support/place.js';
import { waitFor } from '../support/wait-for.js';

/** A critical section that lasts until the end of the test. */
interface Section {
  /** Runs `work` inside the section. */
  run<T>(work: () => Promise<T>): Promise<T>;
  end(): Promise<void>;
}

type Take = (inside: () => Promise<void>) => Promise<void>;

async function enter(take: Take): Promise<Section> {
  let run!: Section['run'];
  let leave!: () => void;
  const left = new Promise<void>((resolve) => (leave = resolve));
  let ended!: Promise<void>;
  await new Promise<void>((resolve, reject) => {
    ended = take(() => {
      run = AsyncResource.bind((work) => work());
      resolve();
      return left;
    });
    ended.catch(reject);
  });
  const end = (): Promise<void> => {
    leave();
    return ended;
  };
  onTestFinished(end);
  return { run, end };
}

const holding = (locks: TestLocks, key: string, options: AcquireOptions = {}): Promise<Section> =>
  enter((inside) => locks.withLock(key, options, inside));

async function open(): Promise<
  Place & { opened(application: string, options?: object): Promise<TestLocks> } & {
    nodes(key: string): Promise<string[]>;
    untilQueued(key: string, count: number): Promise<void>;
  }
> {
  const place = await openPlace();
  const nodes = (key: string): Promise<string[]> =>
    place.inspector.childrenIfAny(`${place.root}/${key}`);
  return {
    ...place,
    nodes,
    opened: (application, options) => place.open({ application, ...options }),
    untilQueued: async (key, count) => {
      await waitFor(async () => (await nodes(key)).length === count, {
        what: `${count} at ${key}`,
      });
    },
  };
}

/** Starts to wait for a lock inside a section. The wait ends with the test. */
function waitIn(section: Section, locks: TestLocks, key: string, options: AcquireOptions = {}) {
  const giveUp = new AbortController();
  const { signal } = giveUp;
  const waiting = section
    .run(() => locks.withLock(key, { signal, timeoutMs: Infinity, ...options }, () => 'done'))
    .catch((error: unknown) => error);
  onTestFinished(async () => {
    giveUp.abort();
    await waiting;
  });
  return { waiting, giveUp: () => giveUp.abort() };
}

/** Long enough for a busy machine to identify the holder. */
const WAIT_MS = 2_000;

/** A call that waits for a lock inside a section until its time is over. */
const timingOutIn =
  (section: Section, locks: TestLocks, key: string, options: AcquireOptions = {}) =>
  (): Promise<unknown> =>
    section.run(() => locks.acquire(key, { timeoutMs: WAIT_MS, ...options }));

const me = (application: string): string => `${application} on ${hostname()} (pid ${process.pid})`;

it('reports the deadlock to the first call that gives up, and the others continue', async () => {
  const { opened, untilQueued } = await open();
  const [orders, stock] = [await opened('orders'), await opened('stock')];
  const first = await holding(orders, 'a');
  const second = await holding(stock, 'b');
  const other = waitIn(second, stock, 'a', { label: 'refill' });
  await untilQueued('a', 2);
  const error = await refusedWithDeadlock(timingOutIn(first, orders, 'b', { label: 'reserve' }));
  const circle = `deadlock: ${me('orders')} holds "a" and waits for "b"; ${me('stock')} holds "b" and waits for "a"`;
  expect(error).toMatchObject({ code: 'LOCK_TIMEOUT', key: 'b', timeoutMs: WAIT_MS });
  expect(error.message).toContain(
    `The write lock "b" was still busy after ${WAIT_MS} ms; ${circle}. Take nested keys in one order everywhere, or together with \`withLocks()\`.`,
  );
  expect(error.deadlock).toMatchObject([
    { holder: { label: 'reserve' }, holds: 'a', waitsFor: 'b' },
    { holder: { label: 'refill', holds: [expect.stringMatching(/^b\/_c_/)] }, holds: 'b' },
  ]);
  expect(error.deadlock?.[1]?.node).toMatch(/^a\/_c_.*-__WRIT__0000000001$/);
  expect(await orders.deadlocks()).toEqual({ deadlocks: [], unknown: 0 });
  await first.end();
  expect(await other.waiting).toBe('done');
});

it.each([
  ['two processes', ['orders', 'stock']],
  ['one process', ['orders', 'orders']],
] as const)(
  'reports the deadlock to all its calls if they give up at the same time, in %s',
  async (_, [one, other]) => {
    const { opened } = await open();
    const orders = await opened(one);
    const stock = other === one ? orders : await opened(other);
    const [first, second] = [await holding(orders, 'a'), await holding(stock, 'b')];
    const calls = [timingOutIn(first, orders, 'b'), timingOutIn(second, stock, 'a')];
    const giveUp = async (): Promise<false | LockTimeoutError[]> => {
      const ended = await Promise.allSettled(calls.map((call) => call()));
      const errors = ended.map((end) => (end as PromiseRejectedResult).reason as LockTimeoutError);
      return errors.every(({ deadlock }) => deadlock !== undefined) && errors;
    };
    // On a busy machine, one of them may not have queued before the other one looks.
    const errors = await waitFor(giveUp, { what: 'both errors to name the deadlock' });
    for (const error of errors) {
      expect(error.deadlock).toHaveLength(2);
      expect(error.message).toContain('deadlock: ');
    }
  },
);

it('shows a deadlock of three in an inspection, while a fourth call waits behind them', async () => {
  const { opened, untilQueued } = await open();
  const keys = ['a', 'b/1', 'c'];
  const processes = await Promise.all(keys.map((key) => opened(`holder of ${key}`)));
  const sections = await Promise.all(keys.map((key, index) => holding(processes[index]!, key)));
  const outsider = await opened('outsider');
  expect(await outsider.deadlocks()).toEqual({ deadlocks: [], unknown: 0 });
  const last = await holding(outsider, 'd');
  for (const [index, section] of sections.entries()) {
    waitIn(section, processes[index]!, keys[(index + 1) % 3]!);
  }
  waitIn(last, outsider, 'a');
  await untilQueued('a', 3);
  await untilQueued('b%2F1', 2);
  await untilQueued('c', 2);
  const { deadlocks, unknown } = await outsider.deadlocks();
  const shown = deadlocks.map((circle) =>
    circle.map(({ holds, waitsFor }) => `${holds} -> ${waitsFor}`).toSorted(),
  );
  expect(shown).toEqual([['a -> b/1', 'b/1 -> c', 'c -> a']]);
  expect(unknown).toBe(0);
  expect((await outsider.inspect('c')).deadlocks).toHaveLength(1);
  expect(await outsider.inspect('d')).not.toHaveProperty('deadlocks');
  const behind = await refusedWithHolders(timingOutIn(last, outsider, 'b/1'));
  expect(behind.deadlock).toBeUndefined();
});

it('reports no deadlock that resolves while it is read', async () => {
  const { opened, untilQueued, nodes, root } = await open();
  const [one, two] = [await opened('one'), await opened('two')];
  const [first, second] = [await holding(one, 'a'), await holding(two, 'b')];
  const holder = (await nodes('a'))[0]!;
  waitIn(first, one, 'b');
  const dissolving = waitIn(second, two, 'a');
  await untilQueued('a', 2);
  await untilQueued('b', 2);
  const waiter = (await nodes('a')).find((node) => node !== holder)!;
  const { session } = one;
  const get = session.get.bind(session);
  const read = vi.spyOn(session, 'get').mockImplementation(async (lease, path, options) => {
    const content = await get(lease, path, options);
    if (path === `${root}/a/${waiter}`) {
      dissolving.giveUp();
      await untilQueued('a', 1);
    }
    return content;
  });
  expect((await two.deadlocks()).deadlocks).toHaveLength(1);
  expect((await one.deadlocks()).deadlocks).toEqual([]);
  expect(read.mock.calls.map(([, path]) => path)).toContain(`${root}/a/${waiter}`);
});

it('ignores nodes that ACLs hide', async () => {
  const { opened, untilQueued, nodes, inspector, root } = await open();
  const [one, two] = [await opened('one'), await opened('two')];
  const [first, second] = [await holding(one, 'a'), await holding(two, 'b')];
  letNodesBeHidden(two);
  waitIn(first, one, 'b');
  await untilQueued('b', 2);
  const holder = (await nodes('a'))[0]!;
  const reads = vi.spyOn(two.session, 'get');
  waitIn(second, two, 'a');
  await untilQueued('a', 2);
  expect((await one.deadlocks()).deadlocks).toHaveLength(1);
  const waiter = (await nodes('a')).find((node) => node !== holder)!;
  const path = `${root}/a/${waiter}`;
  // A call that cannot read its own node gives up. It reads the node a moment after it has queued.
  await waitFor(() => reads.mock.calls.some(([, read]) => read === path), { what: 'its read' });
  await Promise.all(reads.mock.results.map(({ value }) => value as Promise<unknown>));
  await inspector.restrictTo(path, 'other', 'secret');
  expect(await one.deadlocks()).toEqual({ deadlocks: [], unknown: 1 });
});

it('knows what the current call of a cohort holds, but nothing of the calls that wait in it', async () => {
  const { opened, untilQueued } = await open();
  const one = await opened('one');
  const two = await opened('two', { cohort: { keepMs: 60_000 } });
  const [first, second] = [await holding(one, 'a'), await holding(two, 'b')];
  const waiting = waitIn(second, two, 'a');
  await untilQueued('a', 2);
  expect((await refusedWithHolders(timingOutIn(first, one, 'b'))).deadlock).toBeUndefined();
  waitIn(first, one, 'b');
  await untilQueued('b', 2);
  expect(await one.deadlocks()).toEqual({ deadlocks: [], unknown: 1 });
  waiting.giveUp();
  await untilQueued('a', 1);
  const reading = await refusedWithDeadlock(() =>
    second.run(() => two.acquireUpgradable('a', { timeoutMs: WAIT_MS })),
  );
  expect(reading.deadlock).toMatchObject([
    { holds: 'b', waitsFor: 'a' },
    { holds: 'a', waitsFor: 'b' },
  ]);
});

it.each([
  ['warns once', 1, 'test', {}],
  ['does not warn where that is turned off', 0, 'test', { warnNesting: false }],
  ['does not warn in production', 0, 'production', {}],
] as const)(
  '%s of two patterns that are nested in both orders',
  async (_, times, mode, options) => {
    vi.stubEnv('NODE_ENV', mode);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { locks, logger } = await openLogged({ root: ownRoot(), ...options });
    const nest = (outer: string, inner: string, id: number): Promise<void> =>
      locks.withLock(`${outer}:${id}`, { pattern: `${outer}:{id}` }, () =>
        locks.withLock(`${inner}:${id}`, { pattern: `${inner}:{id}` }, () => undefined),
      );
    await nest('order', 'stock', 1);
    for (const id of [2, 3]) await nest('stock', 'order', id);
    const both =
      /"order:\{id\}" inside "stock:\{id\}" \(.*deadlocks\.e2e-spec.*\), and "stock:\{id\}" inside "order:\{id\}" \(.*deadlocks\.e2e-spec/;
    expect(logger.of('warn')).toEqual(Array(times).fill(expect.stringMatching(both)));
  },
);

it('detects a reader that waits for a reader behind a waiting writer', async () => {
  const { opened, untilQueued } = await open();
  const [one, two, three] = [await opened('one'), await opened('two'), await opened('three')];
  const reading = await holding(one, 'a', { mode: 'read' });
  const writing = await holding(two, 'b');
  waitIn(reading, one, 'b', { mode: 'read' });
  await untilQueued('b', 2);
  const beside = await writing.run(() => two.acquire('a', { mode: 'read' }));
  expect(await two.deadlocks()).toEqual({ deadlocks: [], unknown: 0 });
  await beside.release();
  const between = await holding(three, 'c');
  waitIn(between, three, 'a');
  await untilQueued('a', 2);
  const error = await refusedWithDeadlock(timingOutIn(writing, two, 'a', { mode: 'read' }));
  expect(error.message).toContain(
    `deadlock: ${me('two')} holds "b" and waits for "a"; ${me('one')} holds "a" and waits for "b".`,
  );
});

it('ignores the locks of other libraries', async () => {
  const { opened, untilQueued, inspector, root } = await open();
  const locks = await opened('one');
  const section = await holding(locks, 'a');
  const foreign = (key: string): Promise<string> =>
    inspector.create(
      `${root}/${key}/_c_0d0b2f5e-8a51-4f6e-9a53-1f1f4b0c0001-__WRIT__`,
      '192.168.0.7',
      'ephemeralSequential',
    );
  await inspector.create(`${root}/b`);
  const theirs = [await foreign('b'), await foreign('a')];
  expect(await refusedWithHolders(timingOutIn(section, locks, 'b'))).toMatchObject({
    deadlock: undefined,
    holders: [{ holder: undefined }],
  });
  waitIn(section, locks, 'b');
  await untilQueued('b', 2);
  expect(await locks.deadlocks()).toEqual({ deadlocks: [], unknown: 1 });
  for (const node of theirs) await inspector.delete(node);
});
