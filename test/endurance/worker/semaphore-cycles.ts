import { AsyncLocalStorage } from 'node:async_hooks';
import { type Cycle, expectCode, listen, type Weighted } from './cycle.js';

const takes: Cycle = async ({ locks, signal, random }, own) => {
  const semaphore = locks.semaphore(`${own}-permits`, { permits: 3 });
  await using permit = await semaphore.acquire({ take: 1 + random(3), signal });
  listen(permit);
};

const contends: Cycle = async ({ locks, signal, random }) => {
  const semaphore = locks.semaphore(`permits-${random(4)}`, { permits: 4 });
  await semaphore.withPermit({ signal, timeoutMs: 60_000 }, listen);
};

const timesOut: Cycle = async ({ locks, signal }, own) => {
  const semaphore = locks.semaphore(`${own}-permit`, { permits: 1 });
  await using _held = await semaphore.acquire({ signal });
  const waiting = semaphore.acquire({ signal, timeoutMs: 3 });
  await expectCode(waiting, 'LOCK_TIMEOUT', 'ZK_UNAVAILABLE');
  if (await semaphore.tryAcquire()) throw new Error('a permit that is held was granted');
};

/** Work that sets itself going again from inside of its own section, for ever. */
let inPrevious = <T>(fn: () => T): T => fn();
const chained: Cycle = async ({ locks, signal }, own) => {
  const semaphore = locks.semaphore(`${own}-chain`, { permits: 1 });
  await inPrevious(() =>
    semaphore.withPermit({ signal }, () => {
      inPrevious = AsyncLocalStorage.snapshot();
    }),
  );
};

const decorated: Cycle = async ({ jobs }) => {
  await jobs.queue();
};

export const semaphoreCycles: readonly Weighted[] = [
  [8, takes],
  [2, contends],
  [1, timesOut],
  [1, chained],
  [1, decorated],
];
