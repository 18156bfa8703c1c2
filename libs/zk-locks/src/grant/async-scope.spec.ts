import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, it } from 'vitest';
import { untilCollected } from '../../../../test/support/collect-garbage.js';
import {
  enclosingLock,
  HeldFrames,
  type LockScope,
  locksAround,
  runWithLocks,
} from './async-scope.js';

interface Section {
  readonly name: string;
  isOver: boolean;
  /** Keeps the async context that it was made in, on Node 20. */
  readonly ended: Promise<void>;
}

const newFrames = (): HeldFrames<Section> => new HeldFrames((section) => section.isOver);
const section = (name: string): Section => ({
  name,
  isOver: false,
  ended: Promise.resolve(),
});

it('finds the innermost section that is wanted and not over', () => {
  const frames = newFrames();
  const [outer, middle, inner] = [section('outer'), section('middle'), section('inner')];
  expect(frames.find()).toBeUndefined();
  frames.run([outer], () =>
    frames.run([middle], () =>
      frames.run([inner], () => {
        expect(frames.find()).toBe(inner);
        expect(frames.find(({ name }) => name === 'outer')).toBe(outer);
        middle.isOver = inner.isOver = true;
        expect(frames.find()).toBe(outer);
        expect(frames.find(({ name }) => name === 'middle')).toBeUndefined();
      }),
    ),
  );
});

it('may be in 20,000 sections at once, some of which are over', () => {
  const frames = newFrames();
  const sections = Array.from({ length: 20_000 }, (_, index) => section(String(index)));
  const inner = section('inner');
  frames.run(sections, () => {
    expect(frames.find()).toBe(sections.at(-1));
    for (const index of [0, 5_000, 19_999]) sections[index]!.isOver = true;
    frames.run([inner], () => {
      expect(frames.all()).toHaveLength(19_998);
      expect(frames.find(({ name }) => name === '1')).toBe(sections[1]);
    });
  });
});

it.each([
  ['before they end', false],
  ['after they have ended', true],
])('keeps no section of work that schedules itself again %s', async (_, endsFirst) => {
  const frames = newFrames();
  let inSection = <T>(fn: () => T): T => fn();
  let previous: Section | undefined;
  const sections: WeakRef<Section>[] = [];
  const enter = (): void => {
    if (endsFirst && previous) previous.isOver = true;
    const next = inSection(() => section('again'));
    sections.push(new WeakRef(next));
    inSection(() =>
      frames.run([next], () => {
        inSection = AsyncLocalStorage.snapshot();
      }),
    );
    if (previous) previous.isOver = true;
    previous = next;
  };
  for (let round = 0; round < 50; round++) enter();
  // Its own, and the one that it was begun in.
  await untilCollected(sections, 2);
});

it("does not grow in work that schedules itself again under a lasting lock, such as a leader's", () => {
  const owner = {};
  const grant = { isReleased: false };
  let inSection = <T>(fn: () => T): T => fn();
  let previous: { isReleased: boolean } | undefined;
  for (let round = 0; round < 50; round++) {
    const lock = { grant, isReleased: false };
    const scope = { owner, directory: '/k', lock, shown: lock } as unknown as LockScope;
    inSection(() =>
      runWithLocks([scope], () => {
        inSection = AsyncLocalStorage.snapshot();
      }),
    );
    if (previous) previous.isReleased = true;
    previous = lock;
  }
  expect(inSection(() => locksAround(owner))).toHaveLength(2);
  expect(inSection(() => enclosingLock(owner, '/k'))?.lock).toBe(previous);
});
