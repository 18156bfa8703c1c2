import fc from 'fast-check';
import {
  type ACL,
  AddWatchMode,
  encode,
  type MultiPart,
  OpCode,
  Perms,
  type RequestBody,
  requestCodec,
  type RequestType,
  WatcherType,
} from 'zk-protocol';

/** How many sessions take part. */
export const SESSIONS = 3;

/** A request, but for where the program's nodes and zxids begin, which no two servers share. */
export interface Template {
  readonly type: RequestType;
  /** Not the whole of it arrives. */
  readonly isCut: boolean;
  body(place: Place): unknown;
  /** For who reads a counterexample. */
  toString(): string;
}

export interface Place {
  /** The node under which a program works. */
  readonly root: string;
  /** The zxid at its start. */
  readonly zxid: bigint;
}

export type Step =
  | { readonly does: 'ask'; readonly session: number; readonly requests: readonly Template[] }
  | { readonly does: 'auth'; readonly session: number; readonly credentials: string }
  | { readonly does: 'close'; readonly session: number }
  | { readonly does: 'attach'; readonly session: number; readonly password: 'right' | 'wrong' }
  | { readonly does: 'senseless'; readonly session: number };

const PATHS = ['', '/a', '/b', '/a/a', '/a/b', '/b/a', '/a/a/a', '/p', '/q', '/q/a', '/q/a/a'];
const NUMBERED = ['/s-0000000000', '/a/s-0000000000', '/a/s-0000000001', '/q/s-0000000000'];
const MALFORMED = ['/a/', '//a', '/a/.', '/..', '/a\u0000', '/a\u0001', '/\ue000'];
/**
 * Lasting watches have paths of their own: where a client watches one path in several ways, ZooKeeper
 * 3.8 knows only the last of them (ZOOKEEPER-4471).
 */
const LASTING = { '/p': AddWatchMode.persistent, '/q': AddWatchMode.persistentRecursive } as const;
const lastingPaths = Object.keys(LASTING) as (keyof typeof LASTING)[];

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

const path = fc.oneof(
  { arbitrary: fc.constantFrom(...PATHS), weight: 20 },
  { arbitrary: fc.constantFrom(...NUMBERED), weight: 3 },
  { arbitrary: fc.constantFrom(...MALFORMED), weight: 1 },
);
const creatable = fc.oneof(
  { arbitrary: path, weight: 4 },
  { arbitrary: fc.constantFrom('/s-', '/a/s-', '/q/s-', '/a/'), weight: 1 },
);
const acl = fc.oneof(
  { arbitrary: fc.constant([OPEN]), weight: 12 },
  { arbitrary: fc.constantFrom(...ACLS), weight: 1 },
);
const data = fc.constantFrom(null, Buffer.alloc(0), Buffer.from('x'), Buffer.from('longer'));
const version = fc.oneof(
  { arbitrary: fc.constant(-1), weight: 4 },
  { arbitrary: fc.integer({ min: 0, max: 2 }), weight: 4 },
  { arbitrary: fc.constantFrom(-2, 99), weight: 1 },
);
const flags = fc.oneof(
  { arbitrary: fc.integer({ min: 0, max: 3 }), weight: 12 },
  { arbitrary: fc.integer({ min: -1, max: 7 }), weight: 1 },
);
const ttl = fc
  .record({ flags: fc.constantFrom(5, 6, 0, 4, 9), ttl: fc.constantFrom(10_000_000n, 1n, 0n, -1n) })
  // Of a time below zero that the flags do not announce, a real server dies.
  .filter((fields) => fields.ttl >= 0n || fields.flags === 5 || fields.flags === 6);
const creation = fc.record({ path: creatable, data, acl, flags });
/**
 * Not with the flag of an ephemeral node: until a real server has made such a container, it takes it
 * for one in the requests behind it, so that the answers are a matter of time.
 */
const containing = creation.filter((made) => made.flags !== 1 && made.flags !== 3);
const removal = fc.record({ path, version });
const writing = fc.record({ path, data, version });

/** @param build a body from an arbitrary's value, with all paths below the place's root */
function template<T extends RequestType, V>(
  type: T,
  values: fc.Arbitrary<V>,
  build: (value: V, place: Place) => RequestBody<T>,
): fc.Arbitrary<Template> {
  const isCut = fc.integer({ min: 0, max: 60 }).map((number) => number === 60);
  return fc.tuple(values, isCut).map(([value, cut]) => ({
    type,
    isCut: cut,
    body: (place) => build(value, place),
    toString: () => `${type}${cut ? ' cut' : ''} ${fc.stringify(value)}`,
  }));
}

const below = <V extends { readonly path: string }>(value: V, { root }: Place): V => ({
  ...value,
  path: root + value.path,
});
const watched = fc
  .record({ path, watch: fc.boolean() })
  .map((read) => (read.path in LASTING ? { ...read, watch: false } : read));
const atPath = fc.record({ path });
const paths = fc
  .uniqueArray(path, { maxLength: 3 })
  .map((all) => all.filter((one) => !(one in LASTING) && !MALFORMED.includes(one)));
const missed = fc.record({
  ...{ since: fc.bigInt({ min: 0n, max: 60n }) },
  ...{ dataWatches: paths, existWatches: paths, childWatches: paths },
});

type Missed = typeof missed extends fc.Arbitrary<infer M> ? M : never;

function restored(
  { since, dataWatches, existWatches, childWatches }: Missed,
  { root, zxid }: Place,
): RequestBody<typeof OpCode.setWatches> {
  const at = (all: readonly string[]): string[] => all.map((one) => root + one);
  return {
    relativeZxid: zxid + since,
    dataWatches: at(dataWatches),
    existWatches: at(existWatches),
    childWatches: at(childWatches),
  };
}

const partTypes = [OpCode.create, OpCode.create2, OpCode.createContainer] as const;
const part: fc.Arbitrary<MultiPart> = fc.oneof(
  {
    arbitrary: fc.record({ type: fc.constantFrom(...partTypes), request: creation }),
    weight: 5,
  },
  {
    arbitrary: fc.record({
      type: fc.constant(OpCode.createTTL),
      request: fc.tuple(creation, ttl).map(([made, more]) => ({ ...made, ...more })),
    }),
    weight: 1,
  },
  { arbitrary: fc.record({ type: fc.constant(OpCode.delete), request: removal }), weight: 3 },
  { arbitrary: fc.record({ type: fc.constant(OpCode.setData), request: writing }), weight: 3 },
  { arbitrary: fc.record({ type: fc.constant(OpCode.check), request: removal }), weight: 2 },
);
const reading: fc.Arbitrary<MultiPart> = fc.record({
  type: fc.constantFrom(OpCode.getData, OpCode.getChildren),
  request: fc.record({ path, watch: fc.boolean() }),
});
const movedParts = (parts: readonly MultiPart[], place: Place): MultiPart[] =>
  parts.map((one) => ({ ...one, request: below(one.request, place) }) as MultiPart);

const request: fc.Arbitrary<Template> = fc.oneof(
  { arbitrary: template(OpCode.create, creation, below), weight: 14 },
  { arbitrary: template(OpCode.create2, creation, below), weight: 6 },
  { arbitrary: template(OpCode.createContainer, containing, below), weight: 2 },
  {
    arbitrary: template(OpCode.createTTL, fc.tuple(creation, ttl), ([made, more], place) => ({
      ...below(made, place),
      ...more,
    })),
    weight: 2,
  },
  { arbitrary: template(OpCode.delete, removal, below), weight: 12 },
  { arbitrary: template(OpCode.setData, writing, below), weight: 10 },
  { arbitrary: template(OpCode.exists, watched, below), weight: 8 },
  { arbitrary: template(OpCode.getData, watched, below), weight: 8 },
  { arbitrary: template(OpCode.getChildren, watched, below), weight: 5 },
  { arbitrary: template(OpCode.getChildren2, watched, below), weight: 5 },
  { arbitrary: template(OpCode.getACL, atPath, below), weight: 3 },
  {
    arbitrary: template(OpCode.setACL, fc.record({ path, acl, version }), below),
    weight: 3,
  },
  { arbitrary: template(OpCode.getAllChildrenNumber, atPath, below), weight: 2 },
  { arbitrary: template(OpCode.sync, atPath, below), weight: 1 },
  { arbitrary: template(OpCode.whoAmI, fc.constant(undefined), () => undefined), weight: 1 },
  { arbitrary: template(OpCode.ping, fc.constant(undefined), () => undefined), weight: 1 },
  {
    arbitrary: template(
      OpCode.getEphemerals,
      fc.constantFrom(null, '', ' ', '/a', '/a '),
      (prefix, { root }) => ({ prefixPath: prefix?.startsWith('/') ? root + prefix : prefix }),
    ),
    weight: 2,
  },
  // One that succeeds is never answered.
  {
    arbitrary: template(
      OpCode.check,
      atPath.map((one) => ({ ...one, version: 99 })),
      below,
    ),
    weight: 1,
  },
  {
    arbitrary: template(
      OpCode.addWatch,
      fc.tuple(fc.constantFrom(...lastingPaths), fc.integer({ min: 0, max: 15 })),
      ([at, die], { root }) => ({ path: root + at, mode: die === 0 ? 7 : LASTING[at] }),
    ),
    weight: 5,
  },
  {
    arbitrary: template(
      OpCode.removeWatches,
      fc
        .record({ path, type: fc.constantFrom(WatcherType.children, WatcherType.data) })
        .map((one) => (one.path in LASTING ? { ...one, type: WatcherType.any } : one)),
      below,
    ),
    weight: 2,
  },
  { arbitrary: template(OpCode.setWatches, missed, restored), weight: 2 },
  {
    arbitrary: template(OpCode.setWatches2, missed, (value, place) => ({
      ...restored(value, place),
      persistentWatches: [`${place.root}/p`],
      persistentRecursiveWatches: [`${place.root}/q`],
    })),
    weight: 2,
  },
  {
    arbitrary: template(OpCode.multi, fc.array(part, { maxLength: 5 }), movedParts),
    weight: 14,
  },
  {
    arbitrary: template(OpCode.multi, fc.array(fc.oneof(part, reading)), movedParts),
    weight: 1,
  },
  {
    arbitrary: template(OpCode.multiRead, fc.array(reading, { maxLength: 4 }), movedParts),
    weight: 3,
  },
);

const session = fc.integer({ min: 0, max: SESSIONS - 1 });
const does = <D extends Step['does']>(word: D) => fc.constant(word);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    arbitrary: fc.record({
      ...{ does: does('ask'), session },
      requests: fc.array(request, { minLength: 1, maxLength: 5 }),
    }),
    weight: 24,
  },
  {
    arbitrary: fc.record({
      ...{ does: does('auth'), session },
      credentials: fc.constantFrom('ann:secret', 'bob:hidden', 'ann:guessed'),
    }),
    weight: 2,
  },
  { arbitrary: fc.record({ does: does('close'), session }), weight: 1 },
  {
    arbitrary: fc.record({
      ...{ does: does('attach'), session },
      password: fc.constantFrom('right' as const, 'right' as const, 'wrong' as const),
    }),
    weight: 2,
  },
  { arbitrary: fc.record({ does: does('senseless'), session }), weight: 1 },
);

/** About forty requests of several sessions. */
export const program: fc.Arbitrary<readonly Step[]> = fc.array(step, {
  maxLength: 24,
  size: 'max',
});

/** The bytes of a request's body at a place. */
export function bytesOf({ type, isCut, body }: Template, place: Place): Buffer {
  const bytes = encode(requestCodec(type), body(place) as never);
  return isCut ? bytes.subarray(0, Math.max(0, bytes.length - 3)) : bytes;
}
