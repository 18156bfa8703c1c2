import { expect, it } from 'vitest';
import { deadlocksIn } from './tree-deadlocks.js';
import type { Folder } from './tree-key.js';

/** A queue of calls that hold another lock. */
function nested(count: number): Folder {
  const nodes = Array.from({ length: count }, (_, index) => {
    const sequence = String(index).padStart(10, '0');
    return { name: `_c_x-__WRIT__${sequence}`, mode: 'write' as const, sequence: index };
  });
  const holder = { host: 'h', pid: 1, since: '', holds: ['other/_c_y-__WRIT__0000000000'] };
  const contenders = new Map(nodes.map(({ name }) => [name, { contender: { holder } }]));
  return { nodes, contenders } as unknown as Folder;
}

it('looks at no more queues than it takes to reach its limit', () => {
  let looked = 0;
  function* queues(): Generator<[string, Folder]> {
    for (const segment of ['a', 'b', 'c']) {
      looked++;
      yield [segment, nested(1_200)];
    }
  }
  expect(deadlocksIn(queues())).toMatchObject({ deadlocks: [], isCut: true });
  // The second one is only asked for.
  expect(looked).toBe(2);
});
