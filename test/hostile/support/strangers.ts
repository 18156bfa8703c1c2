import fc from 'fast-check';
import { directoryOf } from '../../../libs/zk-locks/src/lock/key-path.js';

/** A node that another client creates below the root. */
export interface StrangeNode {
  readonly path: string;
  readonly kind: 'persistent' | 'ephemeral';
  readonly data: Buffer;
}

export const KEYS = ['k1', 'k2', 'a/b', 'k5\u202eevil', 'alike'] as const;
export const SEMAPHORES = ['s1', 's2', 'leased'] as const;

/** A key and a semaphore whose nodes all have names like ours, so that calls do not refuse them. */
const [ALIKE, LEASED] = ['alike', 'leased'];

const UUIDS = Array.from(
  { length: 20 },
  (_, index) => `0d0b2f5e-8a51-4f6e-9a53-${String(index).padStart(12, '0')}`,
);

const uuid = fc.constantFrom(...UUIDS);
const digits = (value: number): string => String(value).padStart(10, '0');
const sequence = fc.oneof(
  { weight: 8, arbitrary: fc.nat({ max: 40 }).map(digits) },
  fc.constantFrom('2147483647', '2147483646', '-000000001', '9999999999', '7', '00000000007'),
);

/** Names in all dialects, and similar ones. */
const lockName = fc.oneof(
  {
    weight: 10,
    arbitrary: fc
      .tuple(uuid, fc.constantFrom('READ', 'WRIT'), sequence)
      .map(([id, mode, number]) => `_c_${id}-__${mode}__${number}`),
  },
  fc.tuple(uuid, sequence).map(([id, number]) => `_c_${id}-lock-${number}`),
  fc
    .tuple(uuid, fc.constantFrom('lock', 'rlock'), sequence)
    .map(([id, mode, number]) => `${id.replaceAll('-', '')}__${mode}__${number}`),
);

const ownName = fc
  .tuple(uuid, fc.constantFrom('READ', 'WRIT'), fc.nat({ max: 60 }).map(digits))
  .map(([id, mode, number]) => `_c_${id}-__${mode}__${number}`);

const plainName = fc.oneof(
  fc.constantFrom('lock', 'leases', 'locks', '-lock-', '__WRIT__0000000001', 'x'.repeat(2_000)),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
);

const leaseName = fc
  .tuple(uuid, fc.constantFrom('', 'of-3-', 'of-99-', 'of-0-'), sequence)
  .map(([id, of, number]) => `_c_${id}-${of}lease-${number}`);

/** Percent-encodes what ZooKeeper refuses, as in keys, which are shorter than some of these. */
const segmentOf = (name: string): string =>
  name.length > 100 ? name : directoryOf('/', name).slice(1);

const bytes = fc.oneof(
  { weight: 6, arbitrary: fc.constant(0) },
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 5_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 5_000, max: 1_000_000 }) },
);

const text = fc.oneof(
  fc.constantFrom('h', '', 'k5\u202eevil', '\u009b2J', '"}', 'x'.repeat(300), '\u{1f39f}'),
  fc.string({ unit: 'binary', maxLength: 30 }),
);

const anyNumber = fc.oneof(fc.constantFrom(-1, 0, 1, 3, 1e308, 2 ** 53, -0.5), fc.integer());

const token = fc.oneof(
  fc.bigInt({ min: -5n, max: 2n ** 64n }).map(String),
  fc.constantFrom('0', '9216', '99999999999999999999', '-1', ''),
);

/** Holder data in our format, with arbitrary contents. */
const holderData = (paths: readonly string[]): fc.Arbitrary<unknown> =>
  fc.record(
    {
      host: text,
      pid: anyNumber,
      since: fc.oneof(text, fc.constant(new Date(0).toISOString())),
      application: text,
      label: text,
      permits: anyNumber,
      cohort: fc.boolean(),
      keepMs: anyNumber,
      election: fc.boolean(),
      holds: fc.array(fc.oneof(fc.constantFrom(...paths), fc.constant('k1/x'), text), {
        maxLength: 10,
      }),
      token,
      revokedAt: text,
      guard: uuid,
      brokenBy: fc.record({ host: text, pid: anyNumber, at: text }),
    },
    { requiredKeys: ['host', 'pid', 'since'] },
  );

const runRecord = fc.record({
  ...{
    guid: text,
    host: text,
    pid: anyNumber,
    askedAt: anyNumber,
    ranAt: anyNumber,
    epoch: anyNumber,
  },
  ...{
    tookMs: anyNumber,
    everyMs: anyNumber,
    outcome: fc.constantFrom('running', 'done', 'failed', 'x'),
  },
});

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

const dataIn = (paths: readonly string[]): fc.Arbitrary<Buffer> =>
  fc.oneof(
    { weight: 6, arbitrary: holderData(paths).map(json) },
    { weight: 2, arbitrary: runRecord.map(json) },
    { weight: 2, arbitrary: bytes.map((length) => Buffer.alloc(length, '{"a":[')) },
    fc.uint8Array({ maxLength: 50 }).map((array) => Buffer.from(array)),
    fc.constantFrom('__REVOKE__', 'null', '3', '[]', '\u0000').map((value) => Buffer.from(value)),
  );

const below = (directory: string, name: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  name.map((child) => `${directory}/${segmentOf(child)}`);

/** The directories in which strangers create nodes. */
export const DIRECTORIES = [
  ...KEYS.map(segmentOf),
  ...SEMAPHORES.flatMap((key) => [key, `${key}/locks`, `${key}/leases`]),
  'k1%upgradable',
  '%guards',
];

const path = fc.oneof(
  ...KEYS.slice(0, 4).map((key) => ({ weight: 5, arbitrary: below(segmentOf(key), lockName) })),
  { weight: 8, arbitrary: below(ALIKE, ownName) },
  { weight: 1, arbitrary: below('k2', plainName) },
  ...SEMAPHORES.slice(0, 2).flatMap((key) => [
    { weight: 2, arbitrary: below(`${key}/locks`, lockName) },
    { weight: 2, arbitrary: below(`${key}/leases`, fc.oneof(leaseName, plainName)) },
  ]),
  { weight: 3, arbitrary: below(`${LEASED}/leases`, leaseName) },
  { weight: 2, arbitrary: below(`${LEASED}/locks`, ownName) },
  { weight: 1, arbitrary: below('k1%upgradable', lockName) },
  { weight: 2, arbitrary: plainName.map(segmentOf) },
);

const strangeNodes = fc.uniqueArray(path, { minLength: 300, maxLength: 300 }).chain((paths) =>
  fc.tuple(
    ...paths.map((each) =>
      fc.record<StrangeNode>({
        path: fc.constant(each),
        kind: fc.constantFrom('persistent', 'ephemeral'),
        data: dataIn(paths),
      }),
    ),
  ),
);

/** About 20 MB in all. */
const largeNodes = fc
  .array(fc.integer({ min: 500_000, max: 1_000_000 }), { minLength: 28, maxLength: 28 })
  .map((lengths) =>
    lengths.map((length, index): StrangeNode => {
      const name = `_c_${UUIDS[index % 20]}-__READ__${digits(100 + index)}`;
      return { path: `${ALIKE}/${name}`, kind: 'ephemeral', data: Buffer.alloc(length, '[') };
    }),
  );

type Holds = (queue: number, place: number, index: number) => readonly [number, number];

/** How 400 apparent waiters in 20 queues claim to hold eight other nodes each. */
const SHAPES: Readonly<Record<string, Holds>> = {
  layers: (queue, _place, index) => [queue + 1, index],
  chain: (queue, place) => [queue, place + 1],
  self: (queue, place) => [queue, place],
  complete: (queue, place, index) => [(queue + index * 3) % 20, place + index],
  back: (queue, place, index) => [(queue + index * 3) % 20, place - index],
  star: () => [19, 19],
};

const ring: Holds = (queue, _place, index) => [(queue + 1) % 10, index];

function waiters(prefix: string, queues: number, holdsOf: Holds): StrangeNode[] {
  const pathOf = (queue: number, place: number): string =>
    `${prefix}${queue}/_c_${UUIDS[queue % 20]}-__WRIT__${digits(place)}`;
  return Array.from({ length: queues * 20 }, (_, count) => {
    const [queue, place] = [Math.floor(count / 20), count % 20];
    const holds = Array.from({ length: 8 }, (_none, index) =>
      pathOf(...holdsOf(queue, place, index)),
    );
    const data = json({ host: 'h', pid: 1, since: 'x', label: `label ${count}`, holds });
    return { path: pathOf(queue, place), kind: 'ephemeral' as const, data };
  });
}

const numbered = (prefix: string, length: number): string[] =>
  Array.from({ length }, (_, queue) => `${prefix}${queue}`);

export const QUEUES = [...numbered('q', 20), ...numbered('ring', 10)];

/** The nodes that strangers create for a seed. They include a deadlock. */
export interface Strangers {
  readonly shape: string;
  readonly nodes: readonly StrangeNode[];
}

export function strangersOf(seed: number): Strangers {
  const shapes = fc.constantFrom(...Object.keys(SHAPES));
  const all = fc.tuple(shapes, strangeNodes, largeNodes);
  const [drawn] = fc.sample(all, { seed, numRuns: 1 });
  const [shape = '', nodes = [], large = []] = drawn ?? [];
  const graph = waiters('q', 20, SHAPES[shape] ?? ring);
  return { shape, nodes: [...nodes, ...large, ...graph, ...waiters('ring', 10, ring)] };
}
