import { expect, it, onTestFinished } from 'vitest';
import { openLocks, openWorker } from '../../support/locks.js';
import { sharedServer } from '../../support/shared-server.js';
import { GuardedFile } from './guarded-file.js';
import type { Pair } from './pair.js';

/** The number of contenders on each side, and of acquisitions with each kind of writer. */
const THREADS = 5;
const TIMES = 4;

/** Tests of exclusive locks that our library shares with another one. */
export function testExclusiveLocks(pair: Pair): void {
  const { dialect, writers, name, partner, openPlace } = pair;
  const kindOf = (index: number): string => writers[index % writers.length]!;

  it('guards a file that two processes write', async () => {
    const { root, directory, queued } = await openPlace();
    const file = GuardedFile.create();
    const [worker, starter] = [
      await openWorker({ root, dialect }),
      await openLocks({ root, dialect }),
    ];
    // No call begins before all have been queued.
    const gate = await starter.acquire('k');

    const ours = (async () => {
      for (let round = 0; round < TIMES; round++)
        await worker.tell('count', 'k', file.path, THREADS);
    })();
    const theirs = writers.map((kind) =>
      partner().increment(kind, directory, {
        file: file.path,
        threads: THREADS,
        times: TIMES / writers.length,
      }),
    );
    await queued(1 + THREADS + THREADS * writers.length);
    await gate.release();
    await Promise.all([ours, ...theirs]);

    expect(file.number).toBe(2 * THREADS * TIMES);
    // Both sides take turns: all contenders were in the queue before the first grant.
    const theirThreads = THREADS * writers.length;
    expect(file.amongFirst(THREADS + theirThreads, name)).toBe(theirThreads);
  });

  it('gives the lock to waiters of both languages in the order of their arrival', async () => {
    const { root, directory, queued } = await openPlace();
    const locks = await openLocks({ root, dialect });
    const granted: number[] = [];
    const join = async (index: number): Promise<{ release(): Promise<void> }> => {
      const lock = await (index % 2 === 0
        ? locks.acquire('k')
        : partner().acquire(kindOf(index >> 1), directory));
      granted.push(index);
      return lock;
    };
    const holder = await partner().acquire(kindOf(0), directory);
    const waiters: ReturnType<typeof join>[] = [];
    for (let index = 0; index < 8; index++) {
      waiters.push(join(index));
      await queued(waiters.length + 1);
    }
    await holder.release();

    for (const [index, waiter] of waiters.entries()) {
      const lock = await waiter;
      expect(granted).toHaveLength(index + 1);
      await lock.release();
    }
    expect(granted).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('does not get in where the other one is, and leaves no node for having tried', async () => {
    const { root, directory, queue } = await openPlace();
    const locks = await openLocks({ root, dialect });
    for (const kind of writers) {
      const theirs = await partner().acquire(kind, directory);
      expect(await locks.tryAcquire('k')).toBeNull();
      expect(await queue()).toHaveLength(1);
      await theirs.release();

      const ours = await locks.acquire('k');
      expect(await partner().tryAcquire(kind, directory)).toBeNull();
      expect(await queue()).toHaveLength(1);
      await ours.release();
    }
  });

  it('waits for a lock that we keep unused only until we hear of it', async () => {
    const { root, directory, queue, queued } = await openPlace();
    const locks = await openLocks({ root, dialect, cohort: { keepMs: 60_000 } });
    for (const kind of writers) {
      const ours = await locks.acquire('k');
      await ours.release();
      await queued(1);
      const theirs = await partner().acquire(kind, directory);
      expect(await queue()).toHaveLength(1);
      await theirs.release();
    }
  });
}

/** Short enough to wait for, and long enough for a busy machine. */
const SESSION = { sessionTimeoutMs: 5_000, tickTimeMs: 500 };

/** Tests of killed processes, on either side. */
export function testKilledHolders({ dialect, writers, start, partner, openPlace }: Pair): void {
  it('hands on the lock of a killed process, theirs and ours, once its session has ended', async () => {
    const [left, right] = [await openPlace(), await openPlace()];
    const locks = await openLocks({ root: left.root, dialect });
    const ours = await openWorker({ ...SESSION, root: right.root, dialect });
    const theirs = await start(sharedServer().connectString, SESSION.sessionTimeoutMs);
    onTestFinished(() => theirs.stop());
    await Promise.all([theirs.acquire(writers[0], left.directory), ours.acquire('k')]);
    const toUs = locks.acquire('k');
    const toThem = partner().acquire(writers[0], right.directory);
    await Promise.all([left.queued(2), right.queued(2)]);
    const [, ourNode] = await left.queue();
    const [, theirNode] = await right.queue();

    await theirs.end();
    ours.signal('SIGKILL');
    await Promise.all([
      toUs.then(async (lock) => {
        // The dead process's node remains until its session ends.
        expect(await left.queue()).toEqual([ourNode]);
        await lock.release();
      }),
      toThem.then(async (lock) => {
        expect(await right.queue()).toEqual([theirNode]);
        await lock.release();
      }),
    ]);
  });
}
