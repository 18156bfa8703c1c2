import fc from 'fast-check';
import {
  encode,
  type MultiPart,
  OpCode,
  type RequestBody,
  requestCodec,
  type RequestType,
  WatcherType,
} from 'zk-protocol';
import {
  containing,
  creation,
  MALFORMED,
  path,
  removal,
  strictAcl,
  ttl,
  version,
  watchMode,
  writing,
} from './values.js';

/** How many sessions take part. */
export const SESSIONS = 3;

/**
 * A request with paths and zxids relative to the program's place, because servers do not share
 * those.
 */
export interface Template {
  readonly type: RequestType;
  /** The server gets only a part of it. */
  readonly isCut: boolean;
  /**
   * Until it is done, a real server judges later writes by outdated state, so that the answers
   * depend on timing: after a setACL by the previous ACL, after a malformed `multi` by the effects
   * of its first parts.
   */
  readonly aftermath: boolean;
  body(place: Place): unknown;
  /** For readers of a counterexample. */
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
    aftermath: type === OpCode.setACL || (type === OpCode.multi && hasNoTTL(value)),
    body: (place) => build(value, place),
    toString: () => `${type}${cut ? ' cut' : ''} ${fc.stringify(value)}`,
  }));
}

/** Whether a part has the flags of a TTL, but no TTL. */
function hasNoTTL(parts: unknown): boolean {
  return (parts as readonly MultiPart[]).some(
    ({ request }) => 'flags' in request && !('ttl' in request) && /[56]/.test(`${request.flags}`),
  );
}

const below = <V extends { readonly path: string }>(value: V, { root }: Place): V => ({
  ...value,
  path: root + value.path,
});
const watched = fc.record({ path, watch: fc.boolean() });
const atPath = fc.record({ path });
const paths = fc
  .uniqueArray(path, { maxLength: 3 })
  .map((all) => all.filter((one) => !MALFORMED.includes(one)));
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
  { arbitrary: fc.record({ type: fc.constant(OpCode.check), request: removal }), weight: 1 },
);
const reading: fc.Arbitrary<MultiPart> = fc.record({
  type: fc.constantFrom(OpCode.getData, OpCode.getChildren),
  request: fc.record({ path, watch: fc.boolean() }),
});
const movedParts = (parts: readonly MultiPart[], place: Place): MultiPart[] =>
  parts.map((one) => ({ ...one, request: below(one.request, place) }) as MultiPart);

const RECONFIGURATION: RequestBody<typeof OpCode.reconfig> = {
  joiningServers: 'server.2=127.0.0.1:2888:3888;2181',
  leavingServers: null,
  newMembers: null,
  currentConfigId: -1n,
};

const request: fc.Arbitrary<Template> = fc.oneof(
  { arbitrary: template(OpCode.create, creation, below), weight: 18 },
  { arbitrary: template(OpCode.create2, creation, below), weight: 6 },
  { arbitrary: template(OpCode.createContainer, containing, below), weight: 2 },
  {
    arbitrary: template(OpCode.createTTL, fc.tuple(creation, ttl), ([made, more], place) => ({
      ...below(made, place),
      ...more,
    })),
    weight: 2,
  },
  { arbitrary: template(OpCode.delete, removal, below), weight: 8 },
  { arbitrary: template(OpCode.setData, writing, below), weight: 14 },
  { arbitrary: template(OpCode.exists, watched, below), weight: 10 },
  { arbitrary: template(OpCode.getData, watched, below), weight: 12 },
  { arbitrary: template(OpCode.getChildren, watched, below), weight: 5 },
  { arbitrary: template(OpCode.getChildren2, watched, below), weight: 5 },
  { arbitrary: template(OpCode.getACL, atPath, below), weight: 3 },
  {
    arbitrary: template(OpCode.setACL, fc.record({ path, acl: strictAcl, version }), below),
    weight: 6,
  },
  { arbitrary: template(OpCode.getAllChildrenNumber, atPath, below), weight: 2 },
  { arbitrary: template(OpCode.sync, atPath, below), weight: 1 },
  {
    arbitrary: template(OpCode.reconfig, fc.constant(RECONFIGURATION), (value) => value),
    weight: 1,
  },
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
  // Only with an error: a successful one is never answered.
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
      fc.record({ path: fc.constantFrom('', '/p', '/q', '/q/a'), mode: watchMode }),
      below,
    ),
    weight: 5,
  },
  {
    arbitrary: template(
      OpCode.removeWatches,
      fc.record({ path, type: fc.constantFrom(...Object.values(WatcherType)) }),
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
    arbitrary: template(OpCode.multi, fc.array(part, { maxLength: 4 }), movedParts),
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

/** After a request with an {@link Template.aftermath}, the server settles before the next one. */
function upToAftermath(requests: readonly Template[]): readonly Template[] {
  const index = requests.findIndex(({ aftermath }) => aftermath);
  return index === -1 ? requests : requests.slice(0, index + 1);
}

const session = fc.integer({ min: 0, max: SESSIONS - 1 });
const does = <D extends Step['does']>(word: D) => fc.constant(word);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    arbitrary: fc.record({
      ...{ does: does('ask'), session },
      requests: fc.array(request, { minLength: 1, maxLength: 5 }).map(upToAftermath),
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
