import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { OpCode } from '../op-code.js';
import { decode } from '../packets.js';
import { ConnectRequest } from '../records/connect.js';
import { requestTypes } from '../testing/arbitraries.js';
import { readable, ReadAlong, type ReadFrame } from '../testing/read-along.js';

/** One line of a file here: a frame as it passed between a client and a ZooKeeper 3.8. */
interface GoldenFrame {
  readonly connection: number;
  readonly from: 'client' | 'server';
  readonly is: string;
  readonly value: unknown;
  readonly hex: string;
}

const names = ['java', 'kazoo', 'native', 'raw-nodes', 'raw-sessions'] as const;

describe.each(names)('the recorded frames between %s and a real server', (name) => {
  const golden = goldenFrames(name);

  it('are read to the end, decoded as recorded, and written byte for byte', () => {
    expect(golden.length).toBeGreaterThan(40);
    const found = readAgain(golden);
    for (const [index, { is, value, hex }] of golden.entries()) {
      const read = found[index]!;
      expect({
        is: read.is,
        value: JSON.parse(JSON.stringify(readable(read.value))) as unknown,
        hex: read.rewritten.toString('hex'),
        unread: read.unread,
      }).toEqual({ is, value, hex, unread: 0 });
    }
  });
});

/**
 * Requests that other tests send to real servers: zk-client logs in by SASL, the soak changes its
 * ensemble.
 */
const TRIED_ELSEWHERE: readonly number[] = [OpCode.sasl, OpCode.reconfig];

it('a request and a reply of every type are recorded, but for those of other tests', () => {
  const kinds = new Set(names.flatMap((name) => goldenFrames(name).map(({ is }) => is)));
  for (const { name } of requestTypes.filter(({ type }) => !TRIED_ELSEWHERE.includes(type))) {
    expect(kinds).toContain(name);
    expect(kinds).toContain(`${name} reply`);
  }
  for (const kind of ['connect', 'connect reply', 'watch event']) expect(kinds).toContain(kind);
});

describe('the calls of the Java client', () => {
  const world = { perms: 31, id: { scheme: 'world', id: 'anyone' } };
  const hello = { data: '<hello>', acl: [world] };
  const child = (name: string, more: object) => ({ path: `/java/${name}`, ...more });

  it('match its requests', () => {
    const { multis, others } = requestsOf('java');
    expect(others).toEqual([
      { create: { path: '/java', ...hello, flags: 0 } },
      { create: child('n-', { ...hello, data: null, flags: 3 }) },
      { create2: child('two', { ...hello, flags: 0 }) },
      { createContainer: child('box', { ...hello, flags: 4 }) },
      { createTTL: child('ttl', { ...hello, flags: 5, ttl: '60000n' }) },
      { exists: child('later', { watch: true }) },
      { getData: { path: '/java', watch: true } },
      { setData: { path: '/java', data: '<changed>', version: 0 } },
      { getChildren: { path: '/java', watch: true } },
      { getChildren2: { path: '/java', watch: false } },
      { getChildren: { path: '/java', watch: false } },
      { getAllChildrenNumber: { path: '/java' } },
      { getEphemerals: { prefixPath: '/' } },
      { getEphemerals: { prefixPath: '/java' } },
      { getACL: { path: '/java' } },
      {
        setACL: {
          path: '/java',
          acl: [world, { perms: 1, id: { scheme: 'ip', id: '127.0.0.1' } }],
          version: 0,
        },
      },
      { sync: { path: '/java' } },
      { auth: { type: 0, scheme: 'digest', auth: '<ann:secret>' } },
      { whoAmI: undefined },
      { addWatch: { path: '/java', mode: 0 } },
      { addWatch: child('deep', { mode: 1 }) },
      { getData: child('two', { watch: true }) },
      { checkWatches: child('two', { type: 2 }) },
      { delete: { path: '/java', version: 99 } },
      { delete: child('two', { version: -1 }) },
    ]);
    expect(multis).toEqual([
      [
        { type: 13, request: { path: '/java', version: 1 } },
        { type: 1, request: child('multi', { ...hello, flags: 0 }) },
        { type: 19, request: child('boxes', { ...hello, flags: 4 }) },
        { type: 21, request: child('late', { ...hello, flags: 5, ttl: '60000n' }) },
        { type: 5, request: child('multi', { data: null, version: 0 }) },
        { type: 2, request: child('multi', { version: -1 }) },
      ],
      [
        { type: 2, request: child('two', { version: 0 }) },
        { type: 13, request: child('none', { version: 0 }) },
        { type: 2, request: child('ttl', { version: 0 }) },
      ],
      [
        { type: 4, request: { path: '/java', watch: false } },
        { type: 8, request: { path: '/java', watch: false } },
        { type: 4, request: { path: '/none', watch: false } },
      ],
    ]);
  });

  it('survive a lost connection: the session, and all kinds of watches', () => {
    const [first, , third] = [0, 1, 3].map((connection) =>
      goldenFrames('java').filter((one) => one.connection === connection),
    );
    expect(watchesSetAgain('java', 1)).toMatchObject({
      existWatches: ['/java/later'],
      persistentWatches: ['/java'],
      persistentRecursiveWatches: ['/java/deep'],
    });
    expect(watchesSetAgain('java', 3)).toMatchObject({
      dataWatches: ['/java'],
      existWatches: ['/java/later'],
      childWatches: ['/java'],
    });
    const [asked, granted] = [first, third].map((frames) =>
      decode(ConnectRequest, Buffer.from(frames![0]!.hex, 'hex')),
    );
    expect(asked).toMatchObject({ sessionId: 0n, timeOut: 4_000, readOnly: false });
    expect(granted!.sessionId).not.toBe(0n);
    expect(granted!.passwd).not.toEqual(Buffer.alloc(16));
  });
});

describe('the calls of kazoo and the C client', () => {
  it('match their transactions', () => {
    const [good, bad] = requestsOf('kazoo').multis;
    expect(good).toMatchObject([
      { type: 13, request: { path: '/kazoo', version: 1 } },
      { type: 1, request: { path: '/kazoo/multi', data: '<1>', flags: 0 } },
      { type: 5, request: { path: '/kazoo/multi', data: '<2>', version: 0 } },
      { type: 2, request: { path: '/kazoo/multi', version: 1 } },
    ]);
    expect(bad).toMatchObject([{ type: 1 }, { type: 13, request: { version: 77 } }, { type: 2 }]);
    const answers = goldenFrames('kazoo').filter(({ is }) => is === 'multi reply');
    expect(answers[1]?.value).toMatchObject({
      err: 0,
      body: [{ err: 0 }, { err: -103 }, { err: -2 }],
    });
  });

  it('survive a lost connection', () => {
    expect(watchesSetAgain('native', 1)).toEqual({
      relativeZxid: expect.stringMatching(/^\d+n$/) as unknown,
      dataWatches: ['/native'],
      existWatches: ['/native/later'],
      childWatches: ['/native'],
    });
  });
});

function goldenFrames(name: (typeof names)[number]): GoldenFrame[] {
  const text = readFileSync(new URL(`${name}.jsonl`, import.meta.url), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as GoldenFrame);
}

function readAgain(golden: readonly GoldenFrame[]): ReadFrame[] {
  const connections = new Map<number, ReadAlong>();
  return golden.map(({ connection, from, hex }) => {
    const readAlong = connections.get(connection) ?? new ReadAlong();
    connections.set(connection, readAlong);
    return readAlong.read({ from, bytes: Buffer.from(hex, 'hex') });
  });
}

/** The bodies of a client's requests on its first connection, decoded again. */
function requestsOf(name: (typeof names)[number]): { multis: unknown[]; others: unknown[] } {
  const golden = goldenFrames(name).filter(({ connection }) => connection === 0);
  const requests = readAgain(golden).filter(
    ({ from, is }) => from === 'client' && is !== 'connect',
  );
  const bodyOf = ({ value }: ReadFrame): unknown => readable((value as { body?: unknown }).body);
  const isMulti = ({ is }: ReadFrame): boolean => is.startsWith('multi');
  return {
    multis: requests.filter(isMulti).map(bodyOf),
    others: requests.filter((one) => !isMulti(one)).map((one) => ({ [one.is]: bodyOf(one) })),
  };
}

function watchesSetAgain(name: (typeof names)[number], connection: number): unknown {
  const golden = goldenFrames(name).filter((one) => one.connection === connection);
  const set = readAgain(golden).find(({ is }) => /^setWatches2?$/.test(is));
  return readable((set?.value as { body: unknown }).body);
}
