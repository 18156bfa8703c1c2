import { expect, it } from 'vitest';
import type { LeaderTerm } from './leader-term.js';
import { TermFeed } from './term-feed.js';

const term = (fencingToken: bigint) => ({ fencingToken }) as LeaderTerm;

function observe(feed: TermFeed, onTerm: (token: bigint) => void = () => {}): unknown[] {
  const seen: unknown[] = [];
  feed.term$.subscribe({
    next: (told) => {
      seen.push(told?.fencingToken);
      if (told) onTerm(told.fencingToken);
    },
    complete: () => seen.push('complete'),
  });
  return seen;
}

it('begins with the present term', () => {
  const feed = new TermFeed();
  feed.tell(term(1n));
  expect(observe(feed)).toEqual([1n]);
});

it('tells everybody the same order, also where an observer ends the term that it hears of', () => {
  const feed = new TermFeed();
  const first = observe(feed, (token) => {
    if (token === 1n) feed.tell(undefined);
  });
  const second = observe(feed);
  feed.tell(term(1n));
  feed.tell(term(2n));
  expect(first).toEqual([undefined, 1n, undefined, 2n]);
  expect(second).toEqual(first);
});

it('completes after the last of them, also where an observer ends it', async () => {
  const feed = new TermFeed();
  const first = observe(feed, () => {
    feed.tell(undefined);
    feed.end();
  });
  const second = observe(feed);
  feed.tell(term(1n));
  await Promise.resolve();
  expect(second).toEqual([undefined, 1n, undefined, 'complete']);
  expect(first).toEqual(second);
});
