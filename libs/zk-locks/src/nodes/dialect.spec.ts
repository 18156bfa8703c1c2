import { describe, expect, it } from 'vitest';
import { DIALECT_NAMES, type DialectName, dialectOf } from './dialect.js';
import { LockDirectoryError } from '../lock/lock-errors.js';
import { atOnce } from '../slices.js';

const GUID = '0d0b2f5e-8a51-4f6e-9a53-1f1f4b0c0001';
const HEX = GUID.replaceAll('-', '');

/** Names that the libraries themselves write. */
const NODES: Record<DialectName, { readonly read?: string; readonly write: string }> = {
  'curator-rw': {
    read: `_c_${GUID}-__READ__0000000007`,
    write: `_c_${GUID}-__WRIT__0000000007`,
  },
  'curator-mutex': { write: `_c_${GUID}-lock-0000000007` },
  kazoo: { read: `${HEX}__rlock__0000000007`, write: `${HEX}__lock__0000000007` },
  'single-node': { write: 'lock' },
};

const QUEUES = DIALECT_NAMES.filter((name) => name !== 'single-node');

describe.each(QUEUES)('the dialect %s', (name) => {
  const dialect = dialectOf(name);
  const parse = (...names: string[]) => atOnce(dialect.parse('/locks/k', names));

  it('writes and reads the names of its library', () => {
    const modes = dialect.hasReaders ? (['read', 'write'] as const) : (['write'] as const);
    for (const mode of modes) {
      const node = NODES[name][mode]!;
      expect(`${dialect.nodePrefix[mode](GUID)}0000000007`).toBe(node);
      expect(parse(node)).toEqual([{ name: node, mode, sequence: 7 }]);
    }
  });

  it.each(['2147483647', '-2147483648', '-2147483647', '-000000005'])(
    'refuses a directory that has the number %s, and says how to drain it',
    (number) => {
      const refused = (): unknown =>
        parse(NODES[name].write, `${dialect.nodePrefix.write(GUID)}${number}`);
      expect(refused).toThrow(LockDirectoryError);
      expect(refused).toThrow('The sequence counter of /locks/k has reached its end');
      expect(refused).toThrow('(zkCli.sh delete /locks/k)');
    },
  );

  it('quotes the used-up directory in the command that deletes it', () => {
    const last = `${dialect.nodePrefix.write(GUID)}2147483647`;
    expect(() => atOnce(dialect.parse("/locks/it's; x", [last]))).toThrow(
      String.raw`(zkCli.sh delete '/locks/it'\''s; x')`,
    );
  });

  it.each(DIALECT_NAMES.filter((other) => other !== name))(
    'refuses the nodes of %s, and says which dialect they belong to',
    (other) => {
      const refused = (): unknown => parse(NODES[name].write, NODES[other].write);
      expect(refused).toThrow(LockDirectoryError);
      expect(refused).toThrow(NODES[other].write);
      expect(refused).toThrow(`dialect: '${other}'`);
    },
  );

  it('refuses nodes that belong to no lock', () => {
    const refused = (): unknown => parse(NODES[name].write, 'README', 'lock-1', 'x', 'y');
    expect(refused).toThrow(/"README", "lock-1", "x" and 1 more\. Give the locks a `root`/);
  });
});

describe('the dialect single-node', () => {
  const parse = (...names: string[]) => atOnce(dialectOf('single-node').parse('/locks/k', names));

  it('has one name', () => {
    expect(parse('lock')).toEqual([{ name: 'lock', mode: 'write', sequence: 0 }]);
  });

  it.each(QUEUES)('refuses the nodes of %s, and says which dialect they belong to', (other) => {
    const refused = (): unknown => parse('lock', NODES[other].write);
    expect(refused).toThrow(LockDirectoryError);
    expect(refused).toThrow(`dialect: '${other}'`);
  });
});

it.each([
  ['go-zk', `_c_${HEX}-lock-0000000003`],
  ['kazoo, under the name of a mutex', `${HEX}-lock-0000000003`],
])('knows the locks of %s as those of a mutex', (_library, name) => {
  expect(atOnce(dialectOf('curator-mutex').parse('/locks/k', [name]))).toEqual([
    { name, mode: 'write', sequence: 3 },
  ]);
});
