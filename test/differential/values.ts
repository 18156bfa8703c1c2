import fc from 'fast-check';
import { type ACL, AddWatchMode, Perms } from 'zk-protocol';

/** The nodes that exist when a program begins. */
export const SEEDS = ['/a', '/b', '/a/a', '/p', '/q', '/q/a'] as const;

const PATHS = ['', '/a', '/b', '/a/a', '/a/b', '/b/a', '/a/a/a', '/p', '/q', '/q/a', '/q/a/a'];
const NUMBERED = ['/s-0000000000', '/a/s-0000000000', '/a/s-0000000001', '/q/s-0000000000'];
export const MALFORMED = ['/a/', '//a', '/a/.', '/..', '/a\u0000', '/a\u0001', '/\ue000'];
/** The last mode does not exist. */
export const watchMode = fc.oneof(
  { arbitrary: fc.constantFrom(...Object.values(AddWatchMode)), weight: 15 },
  { arbitrary: fc.constant(7), weight: 1 },
);

const ANN = 'ann:7RJfAeIvrl4zdj6sS2fXrQHDvHM=';
const entry = (perms: number, scheme: string, id: string): ACL => ({
  perms,
  id: { scheme, id },
});
const OPEN = entry(Perms.all, 'world', 'anyone');
const ACLS: readonly (readonly ACL[])[] = [
  [entry(Perms.read | Perms.create | Perms.delete, 'world', 'anyone')],
  [entry(Perms.all, 'auth', '')],
  [entry(Perms.all, 'digest', ANN), entry(Perms.read, 'world', 'anyone')],
  [entry(Perms.all & ~Perms.admin, 'ip', '127.0.0.0/8')],
  [entry(Perms.write, 'ip', '10.0.0.1'), entry(Perms.all, 'auth', '')],
  [],
  [entry(Perms.all, 'letter', 'x')],
];

export const path = fc.oneof(
  { arbitrary: fc.constantFrom(...PATHS), weight: 20 },
  { arbitrary: fc.constantFrom(...NUMBERED), weight: 3 },
  { arbitrary: fc.constantFrom(...MALFORMED), weight: 1 },
);
const creatable = fc.oneof(
  { arbitrary: path, weight: 4 },
  { arbitrary: fc.constantFrom('/s-', '/a/s-', '/q/s-', '/a/'), weight: 1 },
);
export const acl = fc.oneof(
  { arbitrary: fc.constant([OPEN]), weight: 6 },
  { arbitrary: fc.constantFrom(...ACLS), weight: 1 },
);
/** Most of them exclude some users. */
export const strictAcl = fc.constantFrom(...ACLS, [OPEN], [OPEN]);
const data = fc.constantFrom(null, Buffer.alloc(0), Buffer.from('x'), Buffer.from('longer'));
export const version = fc.oneof(
  { arbitrary: fc.constant(-1), weight: 8 },
  { arbitrary: fc.integer({ min: 0, max: 2 }), weight: 4 },
  { arbitrary: fc.constantFrom(-2, 99), weight: 1 },
);
const flags = fc.oneof(
  { arbitrary: fc.integer({ min: 0, max: 3 }), weight: 12 },
  { arbitrary: fc.integer({ min: -1, max: 7 }), weight: 1 },
);
export const ttl = fc
  .record({ flags: fc.constantFrom(5, 6, 0, 4, 9), ttl: fc.constantFrom(10_000_000n, 1n, 0n, -1n) })
  // A real server crashes on a negative TTL without the flags of a TTL node.
  .filter((fields) => fields.ttl >= 0n || fields.flags === 5 || fields.flags === 6);
export const creation = fc.record({ path: creatable, data, acl, flags });
/**
 * The flag of an ephemeral node is excluded: until a real server has created such a container, it
 * treats it as ephemeral for later requests, so that answers depend on timing.
 */
export const containing = creation.filter((made) => made.flags !== 1 && made.flags !== 3);
/** The program's root is excluded: without it, there would be nothing to compare. */
export const removal = fc.record({ path: path.filter((one) => one !== ''), version });
export const writing = fc.record({ path, data, version });
