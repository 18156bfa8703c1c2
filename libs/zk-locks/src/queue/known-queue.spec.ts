import { describe, expect, it } from 'vitest';
import type { LockMode } from '../lock.js';
import { KnownQueue, type Place } from './known-queue.js';

/** A queue written as in the stories, `WRRW`: its nodes are named by their numbers, from 0. */
function open(story: string, hasReaders = true) {
  const nodes = Array.from(story).map((letter, sequence) => {
    const mode: LockMode = letter === 'R' ? 'read' : 'write';
    return { name: String(sequence), mode, sequence };
  });
  const known = new KnownQueue<never>(nodes, hasReaders);
  const places = nodes.map(({ name }) => known.find(name)!);
  return {
    known,
    places,
    up: () => places.filter((place) => !place.isGone && known.isUp(place)).map(({ name }) => name),
    blockerOf: (index: number) => known.blockerOf(places[index]!)?.name,
    leave: (index: number, isForGood = true) => known.remove(places[index]!, { isForGood }),
  };
}

it.each([
  ['W', undefined],
  ['R', undefined],
  ['RW', '0'],
  ['WW', '0'],
  ['WR', '0'],
  ['RR', undefined],
  ['RRRW', '2'],
  ['WRRR', '0'],
  ['WRWR', '2'],
  ['WWRR', '1'],
  ['RWRRR', '1'],
  ['WRRRW', '3'],
])('in %s the last one waits for node %s', (story, blocker) => {
  const { up, blockerOf } = open(story);
  const last = story.length - 1;
  expect(blockerOf(last)).toBe(blocker);
  expect(up().includes(String(last))).toBe(blocker === undefined);
});

describe('a writer', () => {
  it('is up when all before it are gone, in any order', () => {
    const { up, leave, blockerOf } = open('WRW');
    expect(up()).toEqual(['0']);
    leave(1);
    expect([up(), blockerOf(2)]).toEqual([['0'], '0']);
    leave(0);
    expect(up()).toEqual(['2']);
  });

  it('is up behind a writer that may have left a reader only after the next list', () => {
    const [readers, none] = [open('WW'), open('WW', false)];
    for (const { leave } of [readers, none]) leave(0, false);
    expect([readers.up(), readers.blockerOf(1), none.up()]).toEqual([[], undefined, ['1']]);
  });

  it('is up before such a writer, and behind a reader of others', () => {
    const [before, behind] = [open('WW'), open('RW')];
    before.leave(1, false);
    behind.leave(0, false);
    expect([before.up(), behind.up()]).toEqual([['0'], ['1']]);
  });
});

describe('a reader', () => {
  it('is up together with all others before the next writer', () => {
    const { up, leave } = open('WRRWR');
    expect(up()).toEqual(['0']);
    leave(0, false);
    expect(up()).toEqual(['1', '2']);
  });

  it('is not up behind a writer that is gone while a node before that is not: a list has to tell', () => {
    const { up, leave, blockerOf } = open('RWR');
    leave(1);
    expect([up(), blockerOf(2)]).toEqual([['0'], undefined]);
    leave(0);
    expect(up()).toEqual(['2']);
  });

  it('waits for the last writer that is not gone', () => {
    const { leave, blockerOf } = open('WWWR');
    leave(1);
    leave(2);
    expect(blockerOf(3)).toBe('0');
  });
});

it('goes on with those who come, and with them alone', () => {
  const { known, leave } = open('W');
  leave(0);
  expect(known.find('0')).toBeUndefined();
  const [next, later] = ['write', 'read'].map((mode, index) =>
    known.append({ name: `n${index}`, mode: mode as LockMode, sequence: index + 1 }),
  ) as [Place<never>, Place<never>];
  expect([known.isUp(next), known.isUp(later), known.lastSequence]).toEqual([true, false, 2]);
  expect(known.blockerOf(later)).toBe(next);
});

it('keeps nothing of those who have gone', () => {
  const known = new KnownQueue<never>([], true);
  let newest = known.append({ name: '0', mode: 'write', sequence: 0 });
  for (let sequence = 1; sequence < 100; sequence++) {
    const last = newest;
    newest = known.append({ name: String(sequence), mode: 'write', sequence });
    known.remove(last, { isForGood: true });
  }
  expect([known.isUp(newest), newest.before, known.blockerOf(newest)]).toEqual([
    ...[true, undefined, undefined],
  ]);
  let chained = 0;
  for (let place = newest.writerBefore; place; place = place.writerBefore) chained++;
  expect(chained).toBeLessThan(2);
});

describe('a queue whose nodes are all gone', () => {
  it.each([
    ['was left right before the next node', true, 8, 102n],
    ['may have been made again by as many transactions', false, 8, 109n],
    ['was left on servers that have forgotten it', false, 8, 99n],
    ['was left before a node of unknown age', false, 8, undefined],
  ])('%s: %s', (_what, expected, sequence, czxid) => {
    const queue = new KnownQueue<string>([], true);
    queue.removing(7, 100n);
    expect(queue.wasLeftBefore(sequence, czxid)).toBe(expected);
  });

  it('is not left while a node of another process stands in it', () => {
    const queue = new KnownQueue<string>([{ name: 'a', mode: 'read', sequence: 7 }], true);
    queue.removing(7, 100n);
    expect(queue.wasLeftBefore(8, 102n)).toBe(false);
  });

  it.each([
    ['right behind the one before it, soon', true, 8, 103n],
    ['right behind the one before it, late', false, 8, 110n],
    ['behind the node of another process', false, 9, 103n],
    ['of unknown age', false, 8, undefined],
  ])('is steady or not after a node of ours %s: %s', (_what, expected, sequence, czxid) => {
    const queue = new KnownQueue<string>([], true);
    queue.removing(7, 100n);
    queue.removing(sequence, czxid);
    expect(queue.isSteady).toBe(expected);
  });
});
