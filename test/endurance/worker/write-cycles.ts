import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { currentLock } from 'nestjs-zk-lock';
import { contended, type Cycle, expectCode, listen, type Weighted } from './cycle.js';
import { Standing } from './standing.js';

/** Too short to get a lock that is held, and to be sure that the answer came in time. */
const SHORT_WAIT_MS = 3;

const acquires: Cycle = async ({ locks, signal }, own) => {
  const lock = await locks.acquire(own, { signal });
  listen(lock);
  lock.revoked.addEventListener('abort', () => undefined);
  await lock.release();
};

const nests: Cycle = async ({ locks, signal }, own) => {
  await locks.withLock(own, { signal }, async (lock) => {
    await locks.withLock(own, { signal }, () => currentLock().assertHeld());
    await using inner = await locks.acquire(own, { mode: 'read', signal });
    listen(inner);
    lock.assertHeld();
  });
};

const contends: Cycle = async (workshop) => {
  const { locks, signal } = workshop;
  await locks.withLock(contended(workshop), { signal, timeoutMs: 60_000 }, listen);
};

const timesOut: Cycle = async ({ locks, signal }, own) => {
  await using _held = await locks.acquire(own, { signal });
  const waiting = locks.acquire(own, { signal, timeoutMs: SHORT_WAIT_MS });
  await expectCode(waiting, 'LOCK_TIMEOUT', 'ZK_UNAVAILABLE');
  if (await locks.tryAcquire(own, { signal })) throw new Error('a lock that is held was granted');
};

const aborts: Cycle = async ({ locks }, own) => {
  const controller = new AbortController();
  await using _held = await locks.acquire(own);
  const waiting = locks.acquire(own, { signal: controller.signal });
  await nextTurn();
  controller.abort();
  await expectCode(waiting, 'LOCK_ABORTED');
};

const takesSeveral: Cycle = async (workshop, own) => {
  const { locks, signal } = workshop;
  const keys = [own, contended(workshop), contended(workshop)];
  await locks.withLocks(keys, { signal, timeoutMs: 60_000 }, listen);
};

const joinsStanding: Cycle = async ({ locks, signal, standing }, own) => {
  await standing.within(async () => {
    await using several = await locks.acquireAll([Standing.key, own], { signal });
    listen(several);
    await locks.withLock(Standing.key, { signal }, () => currentLock().assertHeld());
  });
};

const decorated: Cycle = async ({ jobs, random }) => {
  await jobs.run(random(8));
};

/** Work that sets itself going again from inside of its own section, for ever. */
let inPrevious = <T>(fn: () => T): T => fn();
const chained: Cycle = async ({ locks, signal }, own) => {
  await inPrevious(() =>
    locks.withLock(own, { signal }, () => {
      inPrevious = AsyncLocalStorage.snapshot();
    }),
  );
};

const observes: Cycle = async ({ locks }, own) => {
  const seen: string[] = [];
  const subscription = locks.session.state$.subscribe(({ name }) => seen.push(name));
  await using _held = await locks.acquire(own, { label: 'observed' });
  const { holders } = await locks.inspect(own);
  subscription.unsubscribe();
  if (holders.length !== 1 || seen.length === 0) throw new Error('the holder is not to be seen');
};

const leads: Cycle = async ({ locks, signal }, own) => {
  await using election = locks.election(own);
  const subscription = election.term$.subscribe(() => undefined);
  listen(await election.whenLeader({ signal }));
  await election.asLeader(listen);
  subscription.unsubscribe();
};

export const writeCycles: readonly Weighted[] = [
  [40, acquires],
  [4, nests],
  [4, contends],
  [1, timesOut],
  [1, aborts],
  [2, takesSeveral],
  [1, joinsStanding],
  [2, decorated],
  [1, chained],
  [1, observes],
  [1, leads],
];
