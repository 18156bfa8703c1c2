import { expect, it } from 'vitest';
import type { NodeStat } from 'zk-client/recipes';
import { describeKey, describeNode, type Folder } from './tree-key.js';

const stat = { czxid: 1n, ctime: new Date(0), ephemeralOwner: '1', version: 0, dataLength: 0 };
const content = { data: Buffer.alloc(0), stat: stat as NodeStat };

/** A directory with nodes of which only the first was read. */
function folder(names: readonly string[], strangers: readonly string[] = []): Folder {
  const nodes = names.map((name, sequence) => {
    const mode = name.includes('READ') ? ('read' as const) : ('write' as const);
    return { name, mode, sequence };
  });
  const [first] = nodes;
  const contenders = new Map(
    first && [[first.name, { contender: describeNode(first, content), bytes: 0 }]],
  );
  const rest = { dialects: [], unkept: new Set<string>(), bytes: 0 };
  return { nodes, contenders, strangers, strangerCount: strangers.length, ...rest };
}

const place = { segment: 'k', path: '/locks/k' };

it('holders whose nodes were not read do not count as waiters', () => {
  const readers = ['_c_1-__READ__0000000000', '_c_2-__READ__0000000001', '_c_3-__READ__0000000002'];
  const lock = { kind: 'lock', queue: folder([...readers, '_c_4-__WRIT__0000000003']) } as const;
  expect(describeKey(place, lock)).toMatchObject({ total: 4, waiting: 1, unread: 3 });
  const semaphore = {
    kind: 'semaphore',
    permits: 3,
    queue: folder(['_c_4-lock-0000000003']),
    leases: folder(['_c_1-lease-0000000000', '_c_2-lease-0000000001', '_c_3-lease-0000000002']),
  } as const;
  expect(describeKey(place, semaphore)).toMatchObject({ total: 4, waiting: 1, unread: 2 });
});

it('a lease is named by the beginning of its name, which a stranger may have made a megabyte long', () => {
  const named = (name: string): string =>
    describeNode({ name, mode: 'write', sequence: 1 }, content, 'permit').node;
  expect(named('_c_1-lease-0000000001')).toBe('_c_1-lease-0000000001');
  expect(named('x'.repeat(900_000))).toBe(`${'x'.repeat(200)}…`);
});
