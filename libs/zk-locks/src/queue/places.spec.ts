import { expect, it } from 'vitest';
import { type Place, placesOf } from './places.js';

/** A queue such as `W r W`: writers `W` and readers `r`, named by their places from 0. */
function queueOf(text: string) {
  return text.split(' ').map((letter, sequence) => {
    const mode: 'read' | 'write' = letter === 'r' ? 'read' : 'write';
    return { name: String(sequence), mode, sequence };
  });
}

/** A place as `contender<blocker<earlier`; our own nodes are never the earlier ones. */
const shown = ({ contender, blocker, earlier }: Place<string>): string =>
  [contender, blocker, earlier].filter((name) => name !== undefined).join('<');

it.each([
  ['the first writer has its turn', 'W', '0', undefined, '0'],
  ['a writer waits for the node before it', 'W W W', '2', undefined, '2<1<0'],
  ['a writer waits for a reader', 'r r W', '2', undefined, '2<1<0'],
  ['readers before all writers have their turn', 'r r W', '0 1', undefined, '0 1'],
  ['a reader right behind a writer', 'W W r', '2', undefined, '2<1<0'],
  ['a reader behind other readers waits for their writer alone', 'W W r r', '3', undefined, '3<1'],
  ['nodes of other processes have no place', 'W W W W', '1 3', undefined, '1<0 3<2'],
  [
    'behind a writer that has gone, all readers up to the next writer',
    'r r W r',
    '0 1 3',
    0,
    '0 1',
  ],
  ['behind a node that has gone, the next writer alone', 'W W', '0 1', 0, '0'],
  ['behind a node that has gone in the middle', 'W r W W', '1 2 3', 1, '1<0 2<1<0'],
])('%s: %s', (_, text, contenders, gone, expected) => {
  const known = new Map(contenders.split(' ').map((name) => [name, name]));
  expect(placesOf(known, queueOf(text), gone).map(shown).join(' ')).toBe(expected);
});
