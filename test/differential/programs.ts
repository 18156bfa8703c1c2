import fc from 'fast-check';
import {
  type MultiPart,
  OpCode,
  type RequestBody,
  type RequestType,
  WatcherType,
} from 'zk-protocol';
import { ask, close, login, open, type Step, type Template } from './steps.js';
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

const UNKNOWN_TYPE = 999;

/**
 * A request of a random program. While a request with an `aftermath` is under way, a real server
 * checks later writes against outdated state, so that answers depend on timing: against the
 * previous ACL after a setACL, and against the effects of the first operations after a malformed
 * `multi`.
 */
type Drawn = Template & { readonly aftermath: boolean };

function template<T extends RequestType>(
  type: T,
  values: fc.Arbitrary<RequestBody<T>>,
): fc.Arbitrary<Drawn> {
  const isCut = fc.integer({ min: 0, max: 60 }).map((number) => number === 60);
  return fc.tuple(values, isCut).map(([value, cut]) => ({
    ...{ type, value, isCut: cut },
    aftermath: type === OpCode.setACL || (type === OpCode.multi && hasNoTTL(value)),
  }));
}

/** Whether an operation has the flags of a TTL node but no TTL. */
function hasNoTTL(parts: unknown): boolean {
  return (parts as readonly MultiPart[]).some(
    ({ request }) => 'flags' in request && !('ttl' in request) && /[56]/.test(`${request.flags}`),
  );
}

const watched = fc.record({ path, watch: fc.boolean() });
const atPath = fc.record({ path });
const paths = fc
  .uniqueArray(path, { maxLength: 3 })
  .map((all) => all.filter((one) => !MALFORMED.includes(one)));
const missed = fc.record({
  ...{ relativeZxid: fc.bigInt({ min: 0n, max: 60n }) },
  ...{ dataWatches: paths, existWatches: paths, childWatches: paths },
});

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
const RECONFIGURATION: RequestBody<typeof OpCode.reconfig> = {
  joiningServers: 'server.2=127.0.0.1:2888:3888;2181',
  leavingServers: null,
  newMembers: null,
  currentConfigId: -1n,
};

function weighted<T extends RequestType>(
  weight: number,
  type: T,
  values: fc.Arbitrary<RequestBody<T>>,
): { readonly arbitrary: fc.Arbitrary<Drawn>; readonly weight: number } {
  return { arbitrary: template(type, values), weight };
}

const nothing = fc.constant(undefined);

const request: fc.Arbitrary<Drawn> = fc.oneof(
  weighted(18, OpCode.create, creation),
  weighted(6, OpCode.create2, creation),
  weighted(2, OpCode.createContainer, containing),
  weighted(
    2,
    OpCode.createTTL,
    fc.tuple(creation, ttl).map(([made, more]) => ({ ...made, ...more })),
  ),
  weighted(8, OpCode.delete, removal),
  weighted(14, OpCode.setData, writing),
  weighted(10, OpCode.exists, watched),
  weighted(12, OpCode.getData, watched),
  weighted(5, OpCode.getChildren, watched),
  weighted(5, OpCode.getChildren2, watched),
  weighted(3, OpCode.getACL, atPath),
  weighted(6, OpCode.setACL, fc.record({ path, acl: strictAcl, version })),
  weighted(2, OpCode.getAllChildrenNumber, atPath),
  weighted(1, OpCode.sync, atPath),
  weighted(1, OpCode.reconfig, fc.constant(RECONFIGURATION)),
  weighted(1, OpCode.whoAmI, nothing),
  weighted(1, OpCode.ping, nothing),
  weighted(
    2,
    OpCode.getEphemerals,
    fc.constantFrom(null, '', ' ', '/a', '/a ').map((prefixPath) => ({ prefixPath })),
  ),
  // Only with an error, because a successful one is never answered.
  weighted(
    1,
    OpCode.check,
    atPath.map((one) => ({ ...one, version: 99 })),
  ),
  weighted(
    5,
    OpCode.addWatch,
    fc.record({ path: fc.constantFrom('', '/p', '/q', '/q/a'), mode: watchMode }),
  ),
  weighted(
    2,
    OpCode.removeWatches,
    fc.record({ path, type: fc.constantFrom(...Object.values(WatcherType)) }),
  ),
  weighted(2, OpCode.setWatches, missed),
  weighted(
    2,
    OpCode.setWatches2,
    missed.map((one) => ({
      ...one,
      persistentWatches: ['/p'],
      persistentRecursiveWatches: ['/q'],
    })),
  ),
  weighted(14, OpCode.multi, fc.array(part, { maxLength: 4 })),
  weighted(1, OpCode.multi, fc.array(fc.oneof(part, reading))),
  weighted(3, OpCode.multiRead, fc.array(reading, { maxLength: 4 })),
);

/** The requests up to the first with an aftermath, after which the server must settle. */
function upToAftermath(requests: readonly Drawn[]): readonly Template[] {
  const index = requests.findIndex(({ aftermath }) => aftermath);
  return index === -1 ? requests : requests.slice(0, index + 1);
}

const attached = (as: string): Step => open(as, { to: as });
const wrong = { passwd: Buffer.alloc(16, 7) };

/** The steps of one session, including reconnects. */
function stepsOf(as: string): fc.Arbitrary<readonly Step[]> {
  return fc.oneof(
    {
      arbitrary: fc
        .array(request, { minLength: 1, maxLength: 5 })
        .map((requests) => [ask(as, ...upToAftermath(requests))]),
      weight: 24,
    },
    {
      arbitrary: fc
        .constantFrom('ann:secret', 'bob:hidden', 'ann:guessed')
        .map((credentials) => [ask(as, login(credentials))]),
      weight: 2,
    },
    { arbitrary: fc.constant([close(as), open(as)]), weight: 1 },
    {
      arbitrary: fc.constantFrom(
        [attached(as)],
        [attached(as)],
        [open('stranger', { to: as, request: wrong }), attached(as)],
      ),
      weight: 2,
    },
    {
      arbitrary: fc.constant([ask(as, { type: UNKNOWN_TYPE, value: undefined }), attached(as)]),
      weight: 1,
    },
  );
}

/** About forty requests in three sessions. */
export const program: fc.Arbitrary<readonly Step[]> = fc
  .array(fc.constantFrom('a', 'b', 'c').chain(stepsOf), { maxLength: 24, size: 'max' })
  .map((all) => [open('a'), open('b'), open('c'), ...all.flat()]);
