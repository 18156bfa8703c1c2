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

it('a request and a reply of every type are recorded, except those covered by other tests', () => {
  const kinds = new Set(names.flatMap((name) => goldenFrames(name).map(({ is }) => is)));
  for (const { name } of requestTypes.filter(({ type }) => !TRIED_ELSEWHERE.includes(type))) {
    expect(kinds).toContain(name);
    expect(kinds).toContain(`${name} reply`);
  }
  for (const kind of ['connect', 'connect reply', 'watch event']) expect(kinds).toContain(kind);
});

describe('the calls of the Java client', () => {
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

function watchesSetAgain(name: (typeof names)[number], connection: number): unknown {
  const golden = goldenFrames(name).filter((one) => one.connection === connection);
  const set = readAgain(golden).find(({ is }) => /^setWatches2?$/.test(is));
  return readable((set?.value as { body: unknown }).body);
}
