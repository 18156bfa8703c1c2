import { hostname } from 'node:os';
import { expect, it } from 'vitest';
import { LockTimeoutError } from '../../libs/zk-locks/src/lock/lock-errors.js';
import { openLocks, ownRoot, refusedWithHolders } from '../support/locks.js';
import { recordEvents } from './support/record-events.js';
import { openTwo, openBehindProxy } from '../support/place.js';
import { waitFor } from '../support/wait-for.js';

const SELF = `${hostname()} (pid ${process.pid})`;

/** The event of the wait that ended with this error. */
const endOf = (error: LockTimeoutError, events: ReturnType<typeof recordEvents>) =>
  events.of('waitEnd').find((event) => event.error === error);

it('names the holder in the error and the event of a wait that timed out, in a message and as data', async () => {
  const { locks, open } = await openTwo();
  const others = await open({ application: 'billing' });
  const events = recordEvents();
  await using _lock = await others.acquire('k', { label: 'invoice 7' });
  const error = await refusedWithHolders(() => locks.acquire('k', { timeoutMs: 1_000 }));
  expect(error.message).toMatch(
    /^The write lock "k" was still busy after 1000 ms\. .* Held by billing on .* which asked for it \d+ s ago\. See /,
  );
  expect(error.message).toContain(`Held by billing on ${SELF} for "invoice 7", which asked`);
  const holder = { application: 'billing', label: 'invoice 7', pid: process.pid };
  expect(error.holders).toMatchObject([{ holder }]);
  expect(error.holders[0]!.node).toMatch(/__WRIT__/);
  expect(error).toMatchObject({ code: 'LOCK_TIMEOUT', key: 'k', mode: 'write', timeoutMs: 1_000 });
  expect(endOf(error, events)).toMatchObject({ result: 'timeout', timeoutMs: 1_000 });
  expect(endOf(error, events)!.durationMs).toBeGreaterThan(900);
});

it('names who has the permits of a semaphore, and who holds an upgradable lock', async () => {
  const locks = await openLocks({ root: ownRoot() });
  const events = recordEvents();
  const cards = locks.semaphore('cards', { permits: 2 });
  const permits = await cards.acquire({ take: 2, label: 'batch' });
  const full = await refusedWithHolders(() => cards.acquire({ timeoutMs: 1_000 }));
  expect(full.message).toContain(`Held by ${SELF} for "batch", which asked`);
  expect(full.message).toMatch(/, and 1 more\. See /);
  await permits.release();
  const upgradable = await locks.acquireUpgradable('k', { label: 'stock' });
  const taken = await refusedWithHolders(() => locks.acquireUpgradable('k', { timeoutMs: 1_000 }));
  expect(taken.message).toContain(`Held by ${SELF} for "stock", which asked`);
  for (const error of [full, taken])
    expect(endOf(error, events)).toMatchObject({ result: 'timeout' });
  await upgradable.release();
});

it('says what an upgraded lock is for', async () => {
  const { locks, open } = await openTwo();
  const others = await open();
  await using upgradable = await locks.acquireUpgradable('k', { label: 'stock' });
  await using _writer = await upgradable.upgrade();
  const error = await refusedWithHolders(() => others.acquire('k', { timeoutMs: 1_000 }));
  expect(error.message).toContain(`Held by ${SELF} for "stock", which asked`);
  expect((await others.inspect('k')).holders).toMatchObject([{ holder: { label: 'stock' } }]);
});

it('says that a call waiting in its cohort waits for its own process, even while no server answers', async () => {
  const { proxy, locks } = await openBehindProxy({ application: 'billing', cohort: {} });
  const readers = [
    await locks.acquire('k', { mode: 'read', label: 'first' }),
    await locks.acquire('k', { mode: 'read' }),
  ];
  const [name] = (await locks.inspect('k')).holders.map(({ node }) => node);
  await proxy.freeze();
  const error = (await locks
    .acquire('k', { timeoutMs: 500 })
    .catch((thrown: unknown) => thrown)) as LockTimeoutError;
  expect(error).toBeInstanceOf(LockTimeoutError);
  expect(error.message).toContain(
    `Held by this process, billing on ${SELF} for "first", which got`,
  );
  expect(error.message).toMatch(/, which got it \d+ s ago, and 1 more\. See /);
  await proxy.thaw();
  const { members } = (await locks.inspect('k')).cohort!;
  expect(error.holders).toEqual(
    members.map(({ since, label }) => ({
      ...{ node: name, since },
      holder: {
        ...{ application: 'billing', host: hostname(), pid: process.pid, cohort: true, label },
        since: since.toISOString(),
      },
    })),
  );
  const tried = await locks.acquire('k', { timeoutMs: 0 }).catch((thrown: unknown) => thrown);
  expect((tried as LockTimeoutError).holders).toEqual([]);
  for (const reader of readers) await reader.release();
});

it('names the readers of its own process, and then those of others', async () => {
  const { locks, open } = await openTwo({ cohort: {} });
  const others = await open({ application: 'billing' });
  const elsewhere = await others.acquire('k', { mode: 'read', label: 'long' });
  const readers = [
    await locks.acquire('k', { mode: 'read', label: 'short' }),
    await locks.acquire('k', { mode: 'read' }),
  ];
  const error = await waitFor(
    async () => {
      const { holders, message } = await refusedWithHolders(() =>
        locks.acquire('k', { timeoutMs: 500 }),
      );
      return holders.length === 3 && { holders, message };
    },
    { what: 'an error that names all three' },
  );
  expect(error.message).toMatch(
    /Held by this process, .* for "short", which got it .*, and 2 more/,
  );
  expect(error.holders).toMatchObject([
    { holder: { label: 'short', cohort: true } },
    { holder: { cohort: true } },
    { holder: { label: 'long', application: 'billing' } },
  ]);
  for (const reader of [...readers, elsewhere]) await reader.release();
});

it('does not name a call of its own process that has lost the lock and is still running', async () => {
  const { locks, open } = await openTwo({ cohort: {} });
  const others = await open();
  const lost = await locks.acquire('k', { label: 'lost' });
  const [node] = (await others.inspect('k')).holders;
  await others.breakLock('k', { node: node!.node, token: lost.fencingToken });
  await using _next = await others.acquire('k', { label: 'next' });
  const error = await refusedWithHolders(() => locks.acquire('k', { timeoutMs: 500 }));
  expect(error.holders).toMatchObject([{ holder: { label: 'next' } }]);
  expect((await locks.inspect('k')).cohort).toBeUndefined();
  await lost.release();
});

it('names those that keep a reader from becoming a writer, but not the reader itself or calls behind it', async () => {
  const { locks, open, queued } = await openTwo();
  const others = await open({ application: 'billing' });
  await using upgradable = await locks.acquireUpgradable('k', { label: 'itself' });
  const reader = await others.acquire('k', { mode: 'read', label: 'report' });
  const writing = others.acquire('k', { label: 'writer' });
  await queued(3);
  const error = await refusedWithHolders(() => upgradable.upgrade({ timeoutMs: 1_000 }));
  expect(error.message).toMatch(/^The write lock "k" was still busy after 1000 ms\./);
  expect(error.message).toContain(`Held by billing on ${SELF} for "report", which asked`);
  expect(error.holders).toMatchObject([{ holder: { label: 'report' } }]);
  upgradable.assertHeld();
  await reader.release();
  await upgradable.release();
  await (await writing).release();
});
