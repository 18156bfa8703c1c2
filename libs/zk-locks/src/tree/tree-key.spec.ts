import { expect, it } from 'vitest';
import type { NodeStat } from 'zk-client/recipes';
import { describeNode } from './tree-key.js';

it('a lease is named by the beginning of its name, which a stranger may have made a megabyte long', () => {
  const stat = { czxid: 1n, ctime: new Date(0), ephemeralOwner: '1', version: 0, dataLength: 0 };
  const content = { data: Buffer.alloc(0), stat: stat as NodeStat };
  const named = (name: string): string =>
    describeNode({ name, mode: 'write', sequence: 1 }, content, 'permit').node;
  expect(named('_c_1-lease-0000000001')).toBe('_c_1-lease-0000000001');
  expect(named('x'.repeat(900_000))).toBe(`${'x'.repeat(200)}…`);
});
