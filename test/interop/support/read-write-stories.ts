import { expect, it } from 'vitest';
import { openLocks, type TestLocks } from '../../support/locks.js';
import { GuardedFile } from './guarded-file.js';
import type { ReadWritePair } from './pair.js';

/** The number of readers, and of writers, on each side, and how often each takes the lock. */
const THREADS = 3;
const TIMES = 6;

/** Tests of read and write locks that our library shares with another one. */
export function testReadWriteLocks({ dialect, kinds, partner, openPlace }: ReadWritePair): void {
  it('lets readers of both languages in together, and a writer of neither', async () => {
    const { root, directory } = await openPlace();
    const locks = await openLocks({ root, dialect });
    const theirs = await partner().acquire(kinds.read, directory);
    expect(await locks.tryAcquire('k')).toBeNull();
    const ours = await locks.acquire('k', { mode: 'read' });
    const second = await partner().tryAcquire(kinds.read, directory);

    await second!.release();
    await theirs.release();
    expect(await partner().tryAcquire(kinds.write, directory)).toBeNull();
    await ours.release();
    const writer = await partner().tryAcquire(kinds.write, directory);
    await writer!.release();
  });

  it('lets no reader of either language in where the other one writes', async () => {
    const { root, directory } = await openPlace();
    const locks = await openLocks({ root, dialect });
    const theirs = await partner().acquire(kinds.write, directory);
    expect(await locks.tryAcquire('k', { mode: 'read' })).toBeNull();
    await theirs.release();

    const ours = await locks.acquire('k');
    expect(await partner().tryAcquire(kinds.read, directory)).toBeNull();
    await ours.release();
  });

  it('lets a writer in before the readers that came after it', async () => {
    const { root, directory, queued } = await openPlace();
    const locks = await openLocks({ root, dialect });
    const ask = {
      ours: (mode: 'read' | 'write') => locks.acquire('k', { mode }),
      theirs: (mode: 'read' | 'write') => partner().acquire(kinds[mode], directory),
    };
    for (const [reader, writer] of [
      ['ours', 'theirs'],
      ['theirs', 'ours'],
    ] as const) {
      const granted: string[] = [];
      const first = await ask[reader]('read');
      const writing = ask[writer]('write').finally(() => granted.push('writer'));
      await queued(2);
      const late = (['ours', 'theirs'] as const).map((who) =>
        ask[who]('read').finally(() => granted.push('reader')),
      );
      await queued(4);

      await first.release();
      const lock = await writing;
      expect(granted).toEqual(['writer']);
      await lock.release();
      for (const one of await Promise.all(late)) await one.release();
      expect(granted).toEqual(['writer', 'reader', 'reader']);
    }
  });

  it('shows no reader a half-written state', async () => {
    const { root, directory } = await openPlace();
    const locks = await openLocks({ root, dialect });
    const file = GuardedFile.create();
    const work = { file: file.path, threads: THREADS, times: TIMES };

    await Promise.all([
      inParallel(locks, 'write', () => file.increment()),
      inParallel(locks, 'read', () => file.check()),
      partner().increment(kinds.write, directory, work),
      partner().check(kinds.read, directory, work),
    ]);

    expect(file.number).toBe(2 * THREADS * TIMES);
  });
}

async function inParallel(
  locks: TestLocks,
  mode: 'read' | 'write',
  task: () => Promise<void>,
): Promise<void> {
  const run = async (): Promise<void> => {
    for (let done = 0; done < TIMES; done++) await locks.withLock('k', { mode }, task);
  };
  await Promise.all(Array.from({ length: THREADS }, run));
}
