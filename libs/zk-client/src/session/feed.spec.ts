import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, it } from 'vitest';
import { nextUncaught } from '../../../../test/support/next-uncaught.js';
import { Feed } from './feed.js';

function observe(feed: Feed<number>, onValue: (value: number) => void = () => {}): unknown[] {
  const seen: unknown[] = [];
  feed.subscribe(
    (value) => {
      seen.push(value);
      onValue(value);
    },
    () => seen.push('end'),
  );
  return seen;
}

it('notifies all listeners in the same order, even if one of them changes the value', () => {
  const feed = new Feed(0);
  const first = observe(feed, (value) => {
    if (value === 1) feed.tell(2);
  });
  const second = observe(feed);
  feed.tell(1);
  feed.tell(3);
  expect(first).toEqual([0, 1, 2, 3]);
  expect(second).toEqual(first);
});

it('reports only its end to later subscribers', () => {
  const feed = new Feed(0);
  feed.end();
  expect(observe(feed)).toEqual(['end']);
});

it('does not notify listeners that have stopped, even if another listener stopped them', () => {
  const feed = new Feed(0);
  const seen: number[] = [];
  const stop: (() => void)[] = [];
  observe(feed, (value) => {
    if (value === 1) stop[0]?.();
  });
  stop.push(feed.subscribe((value) => seen.push(value)));
  feed.tell(1);
  expect(seen).toEqual([0]);
});

it('notifies the other listeners if one throws, and its error becomes an uncaught exception', async () => {
  const thrown = new Error('a listener');
  const uncaught = nextUncaught();
  const feed = new Feed(0);
  observe(feed, () => {
    throw thrown;
  });
  const second = observe(feed);
  await expect(uncaught).resolves.toBe(thrown);
  expect(second).toEqual([0]);
});

it('calls its listeners in the async context in which they subscribed', () => {
  const context = new AsyncLocalStorage<string>();
  const feed = new Feed(0);
  const seen: unknown[] = [];
  const note = (): void => void seen.push(context.getStore());
  feed.subscribe(note, note);
  context.run('section', () => {
    feed.tell(1);
    feed.end();
  });
  expect(seen).toEqual([undefined, undefined, undefined]);
});
