import { getEventListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { untilCollected } from '../support/collect-garbage.js';
import { openLocks, ownRoot, type TestLocks } from '../support/locks.js';

/** The listeners of a signal, and what `AbortSignal.any` has attached to it. */
function attachedTo(signal: AbortSignal): number {
  const own = signal as unknown as Record<symbol, { size: number } | undefined>;
  const followers = Object.getOwnPropertySymbols(signal)
    .filter(({ description }) => description === 'kDependantSignals')
    .map((symbol) => own[symbol]?.size ?? 0);
  return followers.reduce((sum, size) => sum + size, getEventListeners(signal, 'abort').length);
}

const MANY = 11;
const many = <T>(make: (index: number) => T): T[] =>
  Array.from({ length: MANY }, (_, index) => make(index));

it('leaves nothing on signals that outlive the calls they were passed to', async () => {
  const locks = await openLocks({ root: ownRoot() });
  const { signal } = new AbortController();
  await locks.withLock('outer', async (outer) => {
    const lock = await locks.acquireUpgradable('k', { signal });
    for (let round = 0; round < 3; round++) {
      await (await lock.upgrade({ signal })).release();
      // Joins the enclosing lock, whose signals are the outer one's.
      await (await locks.acquireAll(['outer', 'other'], { signal })).release();
      await locks.withLocks(['outer', 'other'], { signal }, () => undefined);
    }
    for (const one of [signal, lock.signal, outer.signal, outer.revoked]) {
      expect(attachedTo(one)).toBe(0);
    }
    await lock.release();
  });
});

it('does not keep the signal of several released locks in memory, even with listeners', async () => {
  const locks = await openLocks({ root: ownRoot() });
  const listenAndRelease = async (): Promise<WeakRef<AbortSignal>> => {
    const several = await locks.acquireAll(['a', 'b']);
    several.signal.addEventListener('abort', () => undefined);
    await several.release();
    return new WeakRef(several.signal);
  };
  await untilCollected([await listenAndRelease()]);
});

it('does not keep past upgrades of an upgradable lock in memory', async () => {
  const locks = await openLocks({ root: ownRoot() });
  const lock = await locks.acquireUpgradable('k');
  const upgrade = async (): Promise<WeakRef<object>> => {
    await using writing = await lock.upgrade();
    return new WeakRef(writing);
  };
  const first = await upgrade();
  for (let round = 0; round < 3; round++) await upgrade();
  await untilCollected([first]);
  await lock.release();
});

/** Runs work inside a section, which nested sections join. */
type Enter = (locks: TestLocks, work: (held: object) => Promise<void>) => Promise<void>;

it.each<[what: string, enter: Enter]>([
  ['one lock', (locks, work) => locks.withLock('k', work)],
  ['several locks', (locks, work) => locks.withLocks(['a', 'b'], work)],
  [
    'the lock of a term',
    async (locks, work) => {
      await locks.election('leader').whenLeader();
      await locks.election('leader').asLeader(work);
    },
  ],
])(
  'does not keep past sections in memory when work under %s starts itself again',
  async (_, enter) => {
    const locks = await openLocks({ root: ownRoot() });
    const sections: WeakRef<object>[] = [];
    let tellLast!: () => void;
    const last = new Promise<void>((resolve) => (tellLast = resolve));
    let end!: () => void;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const begin = async (left: number): Promise<void> =>
      enter(locks, async (held) => {
        sections.push(new WeakRef(held));
        if (left > 0) return void begin(left - 1);
        tellLast();
        await ended;
      });
    await begin(50);
    await last;
    // A few have not ended yet when the last one begins.
    await untilCollected(sections, 9);
    end();
  },
);

it.each<[what: string, use: (locks: TestLocks) => Promise<unknown>]>([
  [
    'requests under one lock',
    (locks) =>
      locks.withLock('k', ({ signal, revoked }) => {
        many(() => signal.addEventListener('abort', () => undefined));
        many(() => revoked.addEventListener('abort', () => undefined));
      }),
  ],
  [
    'requests under several locks',
    (locks) =>
      locks.withLocks(['a', 'b'], {}, ({ signal }) => {
        many(() => signal.addEventListener('abort', () => undefined));
      }),
  ],
  [
    'calls that join one lock',
    (locks) =>
      locks.withLock('k', () =>
        Promise.all(many((index) => locks.withLocks(['k', `${index}`], {}, () => undefined))),
      ),
  ],
  [
    'upgrades of one lock',
    (locks) =>
      locks.withUpgradableLock('k', {}, (lock) =>
        Promise.all(many(async () => (await lock.upgrade()).release())),
      ),
  ],
  ['looks at locks', (locks) => Promise.all(many(() => locks.inspect('k')))],
  [
    'requests in one term',
    async (locks) => {
      await using election = locks.election('k');
      const { signal } = await election.whenLeader();
      many(() => signal.addEventListener('abort', () => undefined));
    },
  ],
])('causes no warning of Node for any number of %s', async (_, use) => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning);
  process.on('warning', onWarning);
  onTestFinished(() => void process.off('warning', onWarning));
  await use(await openLocks({ root: ownRoot() }));
  await nextTurn();
  expect(warnings).toEqual([]);
});
