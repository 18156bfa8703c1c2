import { describe, expect, it } from 'vitest';
import { treeContender, treeKey } from '../../../../test/support/tree-keys.js';
import { withHeldSince, type TreeChange } from '../tree/tree-change.js';
import type { TreeContender, TreeKey } from '../tree/tree-key.js';
import { History, type PastEvent } from './history.js';
import { timelineOf } from './timeline.js';

type Given = Partial<Omit<TreeContender, 'holder'>> & { readonly label?: string };

/** A contender `a` of the session `s-a`, which asked at 1,000. */
function one(name: string, { label = name, ...more }: Given = {}): TreeContender {
  return treeContender({
    ...{ node: `n-${name}`, session: `s-${name}`, queuedAt: new Date(1_000) },
    fencingToken: BigInt(name.charCodeAt(0)),
    holder: { host: 'h1', pid: 7, label, since: '' },
    ...more,
  });
}

type Seen = Pick<Partial<TreeKey>, 'holders' | 'waiters' | 'kind' | 'total'>;

/** A history, and the key as it was seen last. */
class Looker {
  readonly history = new History();
  readonly #keys = new Map<string, TreeKey>();

  constructor() {
    this.history.look(0);
  }

  /** @param toldAt when nodes of before were told to have changed */
  sees(at: number, seen: Seen, more: Partial<TreeChange> = {}, key = 'k'): this {
    const change = withHeldSince({
      ...{
        key,
        before: this.#keys.get(key),
        after: treeKey({ key, ...seen }),
        seenAt: at,
        hasGap: false,
      },
      ...{ toldAt: () => at, brokenBy: () => undefined, ...more },
    });
    this.history.note(change);
    this.#keys.set(key, change.after!);
    return this;
  }

  holdersOf(key = 'k'): readonly TreeContender[] {
    return this.#keys.get(key)!.holders;
  }

  told(key = 'k'): string[] {
    return this.history.of(key).map(words);
  }
}

function words({ at, event, contender, ms, waiting }: PastEvent): string {
  const span = ms === undefined ? '' : ` after ${ms}`;
  return `${at} ${contender.holder?.label} ${event}${span}, ${waiting} waiting`;
}

describe('a history tells', () => {
  it('who asks, who gets the lock and how long the wait was, who releases it and how long the hold was', () => {
    const [a, b] = [one('a'), one('b', { queuedAt: new Date(1_500) })];
    const looker = new Looker()
      .sees(1_100, { holders: [a] })
      .sees(1_600, { holders: [a], waiters: [b] })
      .sees(3_050, { holders: [b] }, { toldAt: () => 3_000 })
      .sees(4_000, {})
      .sees(5_000, { holders: [one('c', { session: 's-a' }), one('d', { session: 's-b' })] });
    expect(looker.told().slice(0, 5)).toEqual([
      '1000 a granted after 0, 0 waiting',
      '1500 b asked, 1 waiting',
      '3000 a released after 2000, 1 waiting',
      '3000 b granted after 1500, 0 waiting',
      '4000 b released after 1000, 0 waiting',
    ]);
  });

  it('only the calls that wait as waiting, even if not all holders are listed', () => {
    const looker = new Looker().sees(1_000, { holders: [one('a')], total: 6_000 });
    expect(looker.told()).toEqual(['1000 a granted after 0, 0 waiting']);
  });

  it('who gives up, and who is asked to release the lock', () => {
    const [a, b, c] = [one('a'), one('b'), one('c', { session: 's-b' })];
    const revoked = { ...a, holder: { ...a.holder!, revokedAt: '2026-01-01T00:00:00Z' } };
    const looker = new Looker()
      .sees(1_000, { holders: [a], waiters: [b, c] })
      .sees(2_000, { holders: [revoked], waiters: [c] });
    expect(looker.told().slice(3)).toEqual([
      '2000 b gave-up after 1000, 1 waiting',
      '2000 a revoked, 1 waiting',
    ]);
  });

  it('who breaks a lock', () => {
    const brokenBy = { host: 'h2', pid: 9, at: '' };
    const looker = new Looker()
      .sees(1_000, { holders: [one('a')] })
      .sees(2_000, {}, { brokenBy: () => brokenBy });
    expect(looker.history.of('k').at(-1)).toMatchObject({ event: 'broken', ms: 1_000, brokenBy });
  });

  it('only what is known about an end: the session may have ended, unless it is seen again', () => {
    const looker = new Looker().sees(1_000, { holders: [one('a')] }).sees(2_000, {});
    expect(looker.told().at(-1)).toBe('2000 a gone after 1000, 0 waiting');
    looker.sees(3_000, { holders: [one('z', { session: 's-a' })] }, {}, 'other');
    expect(looker.told().at(-1)).toBe('2000 a released after 1000, 0 waiting');
  });

  it('no more than that if the next holder has a node of the same name, as in the dialect single-node', () => {
    const [a, b] = [one('a', { node: 'lock' }), one('b', { node: 'lock' })];
    const looker = new Looker().sees(1_000, { holders: [a] }).sees(2_000, { holders: [b] });
    expect(looker.told()[1]).toBe('2000 a gone after 1000, 0 waiting');
  });

  it('that a session has ended if all of its nodes disappear at once', () => {
    const [a, b] = [one('a'), one('b', { session: 's-a' })];
    const looker = new Looker()
      .sees(1_000, { holders: [a] })
      .sees(1_000, { holders: [b] }, {}, 'other')
      .sees(2_000, {})
      .sees(2_010, {}, {}, 'other');
    expect(looker.told().at(-1)).toBe('2000 a session-ended after 1000, 0 waiting');
    looker.history.livesOn('s-a');
    expect(looker.told().at(-1)).toBe('2000 a released after 1000, 0 waiting');
  });

  it('nothing for the first look, and no times that it has not seen', () => {
    const looker = new Looker()
      .sees(1_500, { holders: [one('a')], waiters: [one('b')] }, { hasGap: true })
      .sees(2_000, { holders: [one('b')] });
    expect(looker.told()).toEqual([
      '2000 a gone, 1 waiting',
      '2000 b granted after 1000, 0 waiting',
    ]);
  });

  it('one hold of a lock that is downgraded, under another node', () => {
    const looker = new Looker()
      .sees(1_000, { holders: [one('a')] })
      .sees(2_000, { holders: [one('a', { node: 'reader', mode: 'read' })] })
      .sees(3_000, {});
    expect(looker.told().slice(1)).toEqual(['3000 a gone after 2000, 0 waiting']);
  });

  it('for permits, who leaves the queue with some of them', () => {
    const lease = { mode: 'permit', fencingToken: 200n, queuedAt: new Date(1_900) } as const;
    const waiter = one('a', { mode: 'permit' });
    const looker = new Looker()
      .sees(1_000, { waiters: [waiter], kind: 'semaphore' })
      .sees(2_000, { holders: [one('a', { ...lease, node: 'lease' })], kind: 'semaphore' });
    expect(looker.told().slice(1)).toEqual(['1900 a granted after 900, 0 waiting']);
  });

  it('for permits that two calls get between two looks, how long each call has waited', () => {
    const places = [
      one('a', { mode: 'permit' }),
      one('b', { mode: 'permit', queuedAt: new Date(1_500) }),
    ];
    const leases = places.map(({ node, ...place }) => {
      return { ...place, node: `${node}-lease`, fencingToken: 200n, queuedAt: new Date(1_900) };
    });
    const looker = new Looker()
      .sees(1_600, { waiters: places, kind: 'semaphore' })
      .sees(2_000, { holders: leases, kind: 'semaphore' });
    expect(looker.told().slice(2)).toEqual([
      '1900 a granted after 900, 1 waiting',
      '1900 b granted after 400, 0 waiting',
    ]);
  });
});

it('a history keeps 200 events of a key and 5,000 in all, and says since when', () => {
  const looker = new Looker();
  const pulse = (key: string, times: number): void => {
    for (let index = 0; index < times; index++) {
      const at = 10_000 + index;
      looker.sees(at, { holders: [one('a', { queuedAt: new Date(at) })] }, {}, key);
      looker.sees(at, {}, {}, key);
    }
  };
  expect(looker.history.sinceOf('k')).toBe(0);
  pulse('k', 150);
  expect(looker.history.of('k')).toHaveLength(200);
  expect(looker.history.sinceOf('k')).toBe(10_050);
  expect(looker.history.sinceOf('other')).toBe(0);
  for (let index = 0; index < 25; index++) pulse(`k${index}`, 100);
  expect(looker.history.of('k')).toEqual([]);
  expect(looker.history.of('k0')).toHaveLength(200);
  expect(looker.history.sinceOf('k')).toBe(10_149);
});

describe('a timeline', () => {
  it('has each hold, from its grant to its end', () => {
    const [a, b] = [one('a'), one('b', { queuedAt: new Date(1_500) })];
    const looker = new Looker()
      .sees(1_000, { holders: [a], waiters: [b] })
      .sees(3_000, { holders: [b] });
    const { history } = looker;
    const holds = timelineOf(history.of('k'), looker.holdersOf(), history.gaps);
    expect(holds.map(({ contender, ...hold }) => [contender.node, hold])).toEqual([
      ['n-a', { from: 1_000, until: 3_000, end: 'gone' }],
      ['n-b', { from: 3_000 }],
    ]);
  });

  it('ends what was lost from sight at the beginning of the gap', () => {
    const looker = new Looker().sees(1_000, { holders: [one('a')] });
    const { history } = looker;
    history.lookAway(2_000);
    history.lookAway(2_500);
    history.look(9_000);
    expect(history.gaps).toEqual([{ from: 2_000, until: 9_000 }]);
    expect(timelineOf(history.of('k'), [], history.gaps)).toMatchObject([
      { from: 1_000, until: 2_000, end: 'gone' },
    ]);
    expect(timelineOf([], [one('b')], [])).toEqual([{ contender: one('b') }]);
  });
});
