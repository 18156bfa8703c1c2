import { contended, type Cycle, listen, type Weighted } from './cycle.js';

const reads: Cycle = async (workshop) => {
  const { locks, signal } = workshop;
  await using lock = await locks.acquire(contended(workshop), {
    mode: 'read',
    signal,
    timeoutMs: 60_000,
  });
  listen(lock);
};

const writes: Cycle = async (workshop) => {
  const { locks, signal } = workshop;
  await locks.withLock(contended(workshop), { signal, timeoutMs: 60_000 }, listen);
};

const readsNested: Cycle = async ({ locks, signal }, own) => {
  await locks.withLock(own, { mode: 'read', signal }, () =>
    locks.withLock(own, { mode: 'read', signal }, listen),
  );
};

/** A reader that outlives the writer that it is in. */
const downgrades: Cycle = async ({ locks, signal }, own) => {
  const reader = await locks.withLock(own, { signal }, () =>
    locks.acquire(own, { mode: 'read', signal }),
  );
  listen(reader);
  await reader.release();
};

export const readCycles: readonly Weighted[] = [
  [6, reads],
  [2, writes],
  [1, readsNested],
  [1, downgrades],
];
