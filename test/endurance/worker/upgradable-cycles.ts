import { contended, type Cycle, listen, type Weighted } from './cycle.js';

const upgrades: Cycle = async ({ locks, signal }, own) => {
  await locks.withUpgradableLock(own, { signal }, async (lock) => {
    listen(lock);
    await using writing = await lock.upgrade({ signal });
    listen(writing);
  });
};

const onlyReads: Cycle = async ({ locks, signal }, own) => {
  await using lock = await locks.acquireUpgradable(own, { signal });
  listen(lock);
};

const contends: Cycle = async (workshop) => {
  const { locks, signal } = workshop;
  const key = `upgradable-${contended(workshop)}`;
  await locks.withUpgradableLock(key, { signal, timeoutMs: 60_000 }, async (lock) => {
    await using _writing = await lock.upgrade({ timeoutMs: 60_000 });
  });
};

/** One upgradable lock that is kept, and writes now and then. */
const upgradesStanding: Cycle = async ({ standing, signal }) => {
  await using _writing = await standing.upgradable.upgrade({ signal, timeoutMs: 60_000 });
};

export const upgradableCycles: readonly Weighted[] = [
  [3, upgrades],
  [3, onlyReads],
  [1, contends],
  [1, upgradesStanding],
];
