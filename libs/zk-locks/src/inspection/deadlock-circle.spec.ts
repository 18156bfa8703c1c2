import { describe, expect, it } from 'vitest';
import { WaitGraph, type WaitingCall } from './deadlock-circle.js';

interface NamedCall extends WaitingCall {
  readonly name: string;
}

/** `x: a, b -> c` is the call x, which holds a and b and waits for c. */
function callsOf(...lines: string[]): NamedCall[] {
  return lines.map((line) => {
    const [, name = '', held = '', wanted = ''] = /^(\w+):(.*)->(.*)$/.exec(line) ?? [];
    const words = (text: string): string[] => text.match(/\w+/g) ?? [];
    return { name, holds: words(held), waitsFor: (node) => words(wanted).includes(node) };
  });
}

const shown = (circle: ReturnType<WaitGraph<NamedCall>['circleThrough']>): string | undefined =>
  circle?.map(({ call, held }) => `${call.name} holds ${held}`).join(', ');

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
      ['x: a -> b, d', 'y: b -> c', 'z: c -> a', 'w: d -> a'],
      'x holds a, w holds d',
    ],
    [
      'goes by way of any of those who share a lock',
      ['x: a -> b', 'y: b -> e', 'z: b -> a'],
      'x holds a, z holds b',
    ],
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
    expect(new WaitGraph(callsOf(...lines)).circles()).toHaveLength(10);
  });
});
