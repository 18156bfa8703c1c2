import { leastOf, onThisMachine, threadCpuMs } from '../../../../test/support/loop-meter.js';
import { describe, expect, it } from 'vitest';
import { type Line, WaitGraph, type WaitingCall } from './deadlock-circle.js';

interface NamedCall extends WaitingCall {
  readonly name: string;
}

/** The nodes of a queue have their numbers as names. */
function lineOf(segment: string, nodes = 100): Line {
  const numbers = Array.from({ length: nodes }, (_, index) => index);
  return { segment, places: new Map(numbers.map((sequence) => [String(sequence), { sequence }])) };
}

/**
 * `x: a, b2 -> c1` is the call x, which holds a and the third node of b, and waits for two nodes of c;
 * `a` is the first node of a.
 */
function callsOf(...lines: string[]): NamedCall[] {
  const queues = new Map<string, Line>();
  return lines.map((line) => {
    const [, name = '', held = '', wanted = ''] = /^(\w+):(.*)->(.*)$/.exec(line) ?? [];
    const nodes = (text: string): [line: string, number: number][] =>
      [...text.matchAll(/([a-z])(\d*)/g)].map(([, letter = '', digits]) => [
        letter,
        Number(digits),
      ]);
    const [[segment, reach] = ['', 0]] = nodes(wanted);
    const queue = queues.get(segment) ?? lineOf(segment);
    queues.set(segment, queue);
    return {
      name,
      queue,
      reach,
      holds: nodes(held).map(([letter, number]) => `${letter}/${number}`),
    };
  });
}

const shown = (circle: ReturnType<WaitGraph<NamedCall>['circleThrough']>): string | undefined =>
  circle
    ?.map(({ call, held }) => `${call.name} holds ${held.replace('/0', '').replace('/', '')}`)
    .join(', ');

describe('a circle of calls that wait', () => {
  it.each<[string, string[], string | undefined]>([
    ['is two that wait for each other', ['x: a -> b', 'y: b -> a'], 'x holds a, y holds b'],
    ['is one that waits for itself', ['x: a -> a'], 'x holds a'],
    [
      'names them in the order in which they wait',
      ['x: a -> b', 'z: c -> a', 'y: b -> c'],
      'x holds a, y holds b, z holds c',
    ],
    [
      'names of several locks the one that is waited for',
      ['x: e, a, d -> b', 'y: c, b -> a'],
      'x holds a, y holds b',
    ],
    [
      'is the shortest one',
      ['x: a -> b1', 'y: b -> c', 'z: c -> a', 'w: b1 -> a'],
      'x holds a, w holds b1',
    ],
    [
      'goes by way of any of those who share a lock',
      ['x: a -> b', 'y: b -> e', 'z: b -> a'],
      'x holds a, z holds b',
    ],
    [
      'goes by way of any node that comes before',
      ['x: a -> b7', 'y: b3 -> a'],
      'x holds a, y holds b3',
    ],
    ['does not go by way of a node behind', ['x: a -> b3', 'y: b7 -> a'], undefined],
    ['does not go by way of a node that is gone', ['x: a -> b900', 'y: b800 -> a'], undefined],
    ['is not a chain', ['x: a -> b', 'y: b -> c', 'z: c -> d'], undefined],
    ['is not one that waits for a circle', ['x: a -> b', 'y: b -> c', 'z: c -> b'], undefined],
    ['is not two that wait for the same', ['x: a -> c', 'y: b -> c'], undefined],
    ['is not there if a call in between says nothing', ['x: a -> b', 'z: c -> a'], undefined],
  ])('%s', (_what, lines, expected) => {
    const calls = callsOf(...lines);
    expect(shown(new WaitGraph(calls).circleThrough(calls[0]!))).toBe(expected);
  });

  it('is found once, whichever of its calls is looked at first', () => {
    const lines = ['w: f -> a', 'x: a -> b', 'y: b -> a', 'z: c -> c'];
    const found = new WaitGraph(callsOf(...lines)).circles().map(shown);
    expect(found).toEqual(['x holds a, y holds b', 'z holds c']);
  });

  it('is found among ten at most', () => {
    const lines = Array.from({ length: 30 }, (_, index) => `x${index}: a${index} -> a${index}`);
    expect(new WaitGraph(callsOf(...lines)).circles().length).toBeLessThanOrEqual(10);
    const apart = Array.from('abcdefghijklmnop', (letter) => `x: ${letter} -> ${letter}`);
    expect(new WaitGraph(callsOf(...apart)).circles()).toHaveLength(10);
  });
});

/** Calls as a stranger may write them: 50 queues of 20, in which each holds eight nodes that exist. */
function forged(holdsOf: (queue: number, place: number, index: number) => [number, number]) {
  const queues = Array.from({ length: 50 }, (_, index) => lineOf(`q${index}`, 20));
  return queues.flatMap((queue, q) =>
    Array.from({ length: 20 }, (_, place) => ({
      ...{ name: `${q}/${place}`, queue, reach: place - 1 },
      holds: Array.from({ length: 8 }, (_, index) => holdsOf(q, place, index).join('/')).map(
        (path) => `q${path}`,
      ),
    })),
  );
}

describe.each<[string, number, Parameters<typeof forged>[0]]>([
  ['in layers', 0, (q, _, index) => [q + 1, index]],
  ['in layers, from the last node on', 0, (q, _, index) => [q + 1, 19 - index]],
  ['in a ring of layers', 10, (q, _, index) => [(q + 1) % 50, index]],
  ['each of its own node', 10, (q, place) => [q, place - 1]],
  ['of all others', 10, (q, place, index) => [(q + place * 7 + index) % 50, index]],
  ['of one node', 0, () => [49, 19]],
])('forged nodes %s', (_what, circles, holdsOf) => {
  it('cost no more than a look at each', async () => {
    const calls = forged(holdsOf);
    const limitMs = onThisMachine(100);
    const takenMs = await leastOf(limitMs, () => {
      const before = threadCpuMs();
      const found = new WaitGraph(calls).circles();
      expect(found.length).toBeLessThanOrEqual(circles);
      if (circles > 0) expect(found.length).toBeGreaterThan(0);
      return Promise.resolve(threadCpuMs() - before);
    });
    expect(takenMs).toBeLessThan(limitMs);
  });
});
