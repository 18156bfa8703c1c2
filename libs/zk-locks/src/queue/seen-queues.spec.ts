import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { SessionLease } from '../session/session-lease.js';
import type { LockMode } from '../lock.js';
import { aheadOf, inOrder, otherReaders, type QueueNode } from './lock-queue.js';
import { SeenQueue, SeenQueues } from './seen-queues.js';

const node = (name: string, mode: LockMode, sequence: number): QueueNode => ({
  name,
  mode,
  sequence,
});
const [a, b, c] = [node('a', 'write', 1), node('b', 'read', 2), node('c', 'write', 3)];
const [d, e] = [node('d', 'read', 4), node('e', 'read', 5)];

describe('SeenQueue', () => {
  it('knows that a node is first once all before it have been seen to go, in any order', () => {
    const seen = new SeenQueue(true);
    seen.saw([a, b, c]);
    expect([a, b, c].map((each) => seen.isUp(each))).toEqual([true, false, false]);
    seen.left(b, true);
    expect(seen.isUp(c)).toBe(false);
    seen.left(a, true);
    expect(seen.isUp(c)).toBe(true);
  });

  it('knows nothing of a node that came after the list', () => {
    const seen = new SeenQueue(true);
    expect(seen.isUp(a)).toBe(false);
    seen.saw([a]);
    seen.left(a, true);
    expect(seen.isUp(b)).toBe(false);
  });

  it('is certain of nothing behind a writer that may have left a reader, until the next list', () => {
    const [seen, plain] = [new SeenQueue(true), new SeenQueue(false)];
    for (const queue of [seen, plain]) {
      queue.saw([a, c]);
      queue.left(a, false);
    }
    expect([seen, plain].map((queue) => queue.isUp(c))).toEqual([false, true]);
    seen.saw([b, c]);
    expect(seen.isUp(b)).toBe(true);
    // No other can stand in the place of a reader that has gone.
    seen.left(b, false);
    expect(seen.isUp(c)).toBe(true);
  });

  it('lets in the readers behind a writer together, up to the next writer', () => {
    const seen = new SeenQueue(true);
    const [r, w, last] = [node('r', 'read', 6), node('w', 'write', 7), node('z', 'read', 8)];
    seen.saw([a, b, c, d, e, r, w, last]);
    seen.left(c, false);
    // Those before it may be about to write in their own place.
    expect([b, d, e].map((each) => seen.isUp(each))).toEqual([false, false, false]);
    seen.left(a, false);
    expect([b, d].map((each) => seen.isUp(each))).toEqual([true, false]);
    seen.left(b, false);
    expect([d, e, r, w, last].map((each) => seen.isUp(each))).toEqual([
      ...[true, true, true],
      ...[false, false],
    ]);
    expect(seen.isUp(node('new', 'read', 9))).toBe(false);
  });

  it('knows whom to wait for, less the nodes of its own that are gone', () => {
    const seen = new SeenQueue(true);
    expect(seen.ahead('write')).toBeUndefined();
    seen.removed('a');
    seen.saw([a, b, c, d]);
    expect([seen.ahead('write'), seen.ahead('read')]).toEqual([a, a]);
    seen.removed('a');
    expect([seen.ahead('write'), seen.ahead('read')]).toEqual([b, c]);
    expect([seen.isUp(b), seen.isUp(c)]).toEqual([true, false]);
    seen.removed('b');
    expect(seen.isUp(c)).toBe(true);
    // Of nodes that are in no list, no more are kept than there can be.
    for (let i = 0; i < 100; i++) seen.removed(`other-${i}`);
    seen.saw([c]);
    expect(seen.ahead('read')).toBe(c);
  });

  it('does not forget who went since, when another contender looks at the same list', () => {
    const seen = new SeenQueue(true);
    const names = ['a', 'b'];
    const parse = vi.fn(() => [a, b]);
    const first = seen.listed('/locks/k', names, { parse });
    seen.left(a, true);
    expect(seen.listed('/locks/k', names, { parse })).toBe(first);
    expect(seen.isUp(b)).toBe(true);
    expect(parse.mock.calls).toEqual([['/locks/k', names]]);
    seen.listed('/locks/k', [...names], { parse });
    expect(seen.isUp(b)).toBe(false);
  });
});

it('is shared by the contenders of one session in one directory, and forgotten with the last', () => {
  const queues = new SeenQueues();
  const lease = {} as SessionLease;
  const first = queues.enter(lease, '/locks/k', true);
  const second = queues.enter(lease, '/locks/k', true);
  const other = queues.enter(lease, '/locks/other', true);
  expect(second).toBe(first);
  expect(other).not.toBe(first);
  queues.leave('/locks/k', first);
  expect(queues.enter(lease, '/locks/k', true)).toBe(first);
  const nextLease = {} as SessionLease;
  const anew = queues.enter(nextLease, '/locks/k', true);
  expect(anew).not.toBe(first);
  // Those of the session before take nothing with them.
  for (let i = 0; i < 2; i++) queues.leave('/locks/k', first);
  expect(queues.enter(nextLease, '/locks/k', true)).toBe(anew);
  for (let i = 0; i < 2; i++) queues.leave('/locks/k', anew);
  expect(queues.enter(nextLease, '/locks/k', true)).not.toBe(anew);
});

it('tells the queue of a directory what was removed there, while anybody stands in it', () => {
  const queues = new SeenQueues();
  const queue = queues.enter({} as SessionLease, '/locks/k', true);
  queue.saw([a, c]);
  queues.removed('/locks/other/a');
  expect(queue.isUp(c)).toBe(false);
  queues.removed('/locks/k/a');
  expect(queue.isUp(c)).toBe(true);
});

/** A node with what only its holder knows. */
interface Held extends QueueNode {
  readonly isOurs: boolean;
  /** Its place in the queue is another node's from now on, or nobody's. */
  isOver: boolean;
  /** A reader wants to write in its own place, and has not seen yet whether it may. */
  isAttempt: boolean;
  /** A reader that has been a writer is not one again: only `acquireUpgradable` makes such readers. */
  hasWritten: boolean;
  /** It was let in by what is known here. */
  isGranted: boolean;
}

/** What ZooKeeper has to tell our connection, in its order. */
type Message =
  | { readonly kind: 'list'; readonly nodes: readonly Held[] }
  | { readonly kind: 'deleted'; readonly node: Held; readonly isForGood: boolean }
  | { readonly kind: 'removed'; readonly node: Held };

/**
 * A directory on a server, contenders of ours who know it by messages, and others who see it as it
 * is. A step that makes no sense at the moment is passed over.
 */
class World {
  #nodes: Held[] = [];
  #next = 0;
  #names = 0;
  /** The place of the last reader that wanted to write. */
  #upgrader: number | undefined;
  readonly #inbox: Message[] = [];
  readonly #waiting = new Set<Held>();
  readonly #seen: SeenQueue;
  grants = 0;

  constructor(private readonly hasReaders: boolean) {
    this.#seen = new SeenQueue(hasReaders);
  }

  readonly steps: Record<string, (pick: number) => void> = {
    weQueueUp: (pick) => {
      const own = this.#create(pick % 3 === 0 ? 'read' : 'write', true);
      this.#waiting.add(own);
      this.#list();
    },
    othersQueueUp: (pick) => void this.#create(pick % 3 === 0 ? 'read' : 'write', false),
    somebodyLeaves: (pick) => {
      const leaver = this.#pick(pick, () => true);
      if (leaver) this.#leave(leaver);
    },
    headLeaves: () => {
      const [head] = inOrder(this.#nodes) as Held[];
      if (head) this.#leave(head);
    },
    holderDowngrades: (pick) => {
      if (!this.hasReaders) return;
      const writer = this.#pick(pick, (held) => held.mode === 'write' && this.#holds(held));
      if (!writer || this.#twinOf(writer)) return;
      this.#add('read', writer.sequence, writer.isOurs).hasWritten = true;
      this.#delete(writer, false);
    },
    holderTriesToUpgrade: (pick) => {
      // One at a time: others are refused, by the intents of upgradable locks.
      if (!this.hasReaders || this.#nodes.some(({ isAttempt }) => isAttempt)) return;
      const reader = this.#pick(pick, (held) => held.mode === 'read' && this.#holds(held));
      if (!reader || reader.hasWritten || this.#twinOf(reader)) return;
      const { sequence, isOurs } = reader;
      // Nobody has a place before one that was upgradable when it took its own.
      if (this.#upgrader !== undefined && sequence < this.#upgrader) return;
      this.#upgrader = sequence;
      this.#add('write', sequence, isOurs).isAttempt = true;
    },
    twinOfAnUpgraderComesLate: () => {
      const place = this.#upgrader;
      if (place === undefined || this.#nodes.some(({ sequence }) => sequence === place)) return;
      this.#add('write', place, false).isOver = true;
    },
    upgradeIsDecided: () => {
      const attempt = this.#nodes.find(({ isAttempt }) => isAttempt);
      if (!attempt) return;
      const others = otherReaders(inOrder(this.#nodes), attempt.sequence);
      // It is taken back while others read, or where nobody wants it any more.
      if (attempt.isOver || others.length > 0) this.#delete(attempt, false);
      else {
        attempt.isAttempt = false;
        const { sequence } = attempt;
        expect(this.#nodes.filter((held) => held.isGranted && held.sequence !== sequence)).toEqual(
          [],
        );
      }
    },
    weHear: (pick) => {
      for (const message of this.#inbox.splice(0, pick)) this.#hear(message);
    },
    oneOfUsLooksAgain: () => this.#list(),
  };

  #hear(message: Message): void {
    if (message.kind === 'list') this.#seen.saw(message.nodes);
    else if (message.kind === 'removed') this.#seen.removed(message.node.name);
    else this.#seen.left(message.node, message.isForGood);
    for (const own of this.#waiting) if (this.#seen.isUp(own)) this.#grant(own);
  }

  #grant(own: Held): void {
    this.#waiting.delete(own);
    const isThere = this.#nodes.includes(own);
    // The deletion of our own node is told by the watch on it.
    if (!isThere) return;
    this.grants++;
    own.isGranted = true;
    const inTheWay = this.#ahead(own).filter(
      ({ mode }) => own.mode === 'write' || mode === 'write',
    );
    expect(inTheWay.filter(({ isOver, isAttempt }) => !isOver && !isAttempt)).toEqual([]);
  }

  #ahead({ name }: Held): Held[] {
    return (aheadOf(inOrder(this.#nodes), name) ?? []) as Held[];
  }

  /** Whether it may do what only holders do, as the server knows. */
  #holds(held: Held): boolean {
    if (held.isOver || held.isAttempt || this.#waiting.has(held)) return false;
    const others = this.#ahead(held).filter(({ sequence }) => sequence !== held.sequence);
    return !others.some(({ mode }) => held.mode === 'write' || mode === 'write');
  }

  #leave(leaver: Held): void {
    const twin = this.#twinOf(leaver);
    if (twin?.mode === 'write' && leaver.mode === 'read') {
      // The release of both; one delete is behind the other.
      twin.isOver = true;
      this.#delete(leaver, true);
      return;
    }
    this.#delete(leaver, twin === undefined);
  }

  #delete(gone: Held, isForGood: boolean): void {
    this.#nodes = this.#nodes.filter((held) => held !== gone);
    this.#waiting.delete(gone);
    const isOursForGood = isForGood && gone.isOurs;
    this.#inbox.push({ kind: 'deleted', node: gone, isForGood: isOursForGood });
    if (isOursForGood) this.#inbox.push({ kind: 'removed', node: gone });
  }

  #list(): void {
    this.#inbox.push({ kind: 'list', nodes: inOrder(this.#nodes) as Held[] });
  }

  #create(mode: LockMode, isOurs: boolean): Held {
    const created = this.#add(this.hasReaders ? mode : 'write', this.#next, isOurs);
    this.#next++;
    return created;
  }

  #add(mode: LockMode, sequence: number, isOurs: boolean): Held {
    const name = `n${this.#names++}`;
    const added: Held = {
      name,
      mode,
      sequence,
      isOurs,
      isOver: false,
      isAttempt: false,
      hasWritten: false,
      isGranted: false,
    };
    this.#nodes.push(added);
    return added;
  }

  #twinOf({ name, sequence }: Held): Held | undefined {
    return this.#nodes.find((held) => held.sequence === sequence && held.name !== name);
  }

  #pick(pick: number, isWanted: (held: Held) => boolean): Held | undefined {
    const wanted = this.#nodes.filter(isWanted);
    return wanted[pick % Math.max(wanted.length, 1)];
  }
}

describe.each([
  ['with readers', true],
  ['without readers', false],
])('in any history, %s', (_, hasReaders) => {
  it('grants nobody whom a look at the server would keep waiting', () => {
    const names = Object.keys(new World(true).steps);
    const step = fc.tuple(fc.constantFrom(...names, 'weHear', 'headLeaves'), fc.nat(20));
    const story = fc.array(step, { minLength: 20, maxLength: 80, size: 'max' });
    let granted = 0;
    fc.assert(
      fc.property(story, (steps) => {
        const world = new World(hasReaders);
        for (const [name, pick] of steps) world.steps[name]!(pick);
        granted += world.grants;
      }),
      { numRuns: 4_000 },
    );
    // Else nothing was tried.
    expect(granted).toBeGreaterThan(500);
  });
});
