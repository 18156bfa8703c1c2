import { OpCode } from 'zk-protocol';
import { describe, expect, it } from 'vitest';
import { type Asked, gather, type Gathered } from './gathered.js';
import { areTooFew, type Limits, nextBatch } from './plan.js';

const LIMITS: Limits = { fewestWrites: 2, mostWrites: 4, mostReads: 3, mostBytes: 1_000 };
const NO_DATA = Buffer.alloc(0);

type Body = Pick<Asked<typeof OpCode.sync>, 'type' | 'body' | 'path'>;

/** Requests in short form: `create /a/x`, `get /a watch`, `set /a 900`. */
function request(words: string): Gathered & { readonly words: string } {
  const [verb, path = '', more] = words.split(' ');
  const asked = bodyOf(verb, path, more) as Body;
  const unheard = { resolve: () => undefined, reject: () => undefined };
  const rank = verb === 'rank' ? Number(more) : undefined;
  const gathered = gather({ ...asked, ...unheard, path, rank, isAlone: more === 'alone' });
  return Object.assign(gathered, { words });
}

function bodyOf(verb: string | undefined, path: string, more: string | undefined): unknown {
  const data = Buffer.alloc(Number(more) || 0);
  switch (verb) {
    case 'create':
      return { type: OpCode.create2, body: { path, data, acl: [], flags: 0 } };
    case 'rank':
    case 'number':
      return { type: OpCode.create2, body: { path, data, acl: [], flags: 3 } };
    case 'container':
      return { type: OpCode.createContainer, body: { path, data: NO_DATA, acl: [], flags: 4 } };
    case 'delete':
      return { type: OpCode.delete, body: { path, version: -1 } };
    case 'set':
      return { type: OpCode.setData, body: { path, data, version: -1 } };
    case 'get':
      return { type: OpCode.getData, body: { path, watch: more === 'watch' } };
    case 'list':
      return { type: OpCode.getChildren, body: { path, watch: more === 'watch' } };
    default:
      return { type: OpCode.sync, body: { path } };
  }
}

/** The frames that leave at once, and the number of requests that are left. */
function planOf(requests: readonly string[], mayWrite = true): { frames: string[]; left: number } {
  const queue = requests.map(request);
  const batch = nextBatch(queue, 0, LIMITS, mayWrite);
  const frames = [
    ...batch.writes.map((one) => [one]),
    ...(batch.together.length > 0 ? [batch.together] : []),
    ...batch.loneReads.map((one) => [one]),
    ...batch.reads,
  ];
  const shown = frames.map((frame) => frame.map(({ words }) => words).join(' + '));
  return { frames: shown, left: queue.length - batch.size };
}

describe('nextBatch', () => {
  it.each<[what: string, requests: string[], frames: string[], left?: number]>([
    [
      'puts writes together, and reads after them',
      ['create /a/x', 'list /a', 'delete /b/y', 'list /b', 'set /c'],
      ['create /a/x + delete /b/y + set /c', 'list /a + list /b'],
    ],
    ['lets a single write leave as it is', ['create /a/x', 'list /a'], ['create /a/x', 'list /a']],
    [
      'creates nodes of one directory one by one, and sends the requests before them in the same way',
      ['create /b/x', 'create /a/x', 'create /a/y', 'create /c/x', 'create /d/x'],
      ['create /b/x', 'create /a/x', 'create /a/y + create /c/x + create /d/x'],
    ],
    [
      'creates nodes of one directory together where their ranks rise',
      ['rank /a/x 0', 'delete /a/y', 'rank /a/x 1', 'rank /b/x 0', 'list /a'],
      ['rank /a/x 0 + delete /a/y + rank /a/x 1 + rank /b/x 0', 'list /a'],
    ],
    [
      'but neither where they do not',
      ['rank /a/x 1', 'rank /a/x 2', 'rank /a/x 2', 'rank /a/x 3'],
      ['rank /a/x 1', 'rank /a/x 2', 'rank /a/x 2 + rank /a/x 3'],
    ],
    [
      'nor beside a node without rank',
      ['create /a/x', 'rank /a/x 1', 'create /a/y', 'delete /a/z'],
      ['create /a/x', 'rank /a/x 1', 'create /a/y + delete /a/z'],
    ],
    [
      'deletes many nodes of one directory together, and creates one beside them',
      ['delete /a/x', 'delete /a/y', 'create /a/z'],
      ['delete /a/x + delete /a/y + create /a/z'],
    ],
    [
      'sends a request that a multi cannot do by itself, after the earlier ones',
      ['set /a', 'set /b', 'container /c', 'set /d', 'set /e'],
      ['set /a', 'set /b', 'container /c', 'set /d + set /e'],
    ],
    [
      'and puts the creates that follow together',
      ['create /b/x', 'container /c', 'create /a/y', 'create /b/y'],
      ['create /b/x', 'container /c', 'create /a/y + create /b/y'],
    ],
    [
      'sends a request that is likely to be refused by itself',
      ['delete /none alone', 'set /d', 'set /e'],
      ['delete /none alone', 'set /d + set /e'],
    ],
    [
      'sets watches by themselves, and reads the rest after them',
      ['get /a', 'get /b watch', 'sync /', 'get /c', 'list /d watch'],
      ['get /b watch', 'sync /', 'list /d watch', 'get /a + get /c'],
    ],
    [
      'begins the next batch with a write to what is read',
      ['set /b', 'set /c', 'get /a', 'set /a', 'set /d'],
      ['set /b + set /c', 'get /a'],
      2,
    ],
    ['with a name that comes', ['list /a', 'create /a/x'], ['list /a'], 1],
    ['with a name that goes', ['list /a', 'delete /a/x'], ['list /a'], 1],
    ['with a node that is created', ['get /a/x watch', 'create /a/x'], ['get /a/x watch'], 1],
    [
      'with one that may get that name',
      ['get /a/n-0000000007', 'number /a/n-'],
      [expect.any(String)],
      1,
    ],
    [
      'with one whose number is negative',
      ['get /a/n--2147483648', 'number /a/n-'],
      [expect.any(String)],
      1,
    ],
    ['with a write of unknown effect', ['get /a', 'container /b'], ['get /a'], 1],
    [
      'but not with a write beside what is read',
      ['list /a', 'get /a/x', 'set /a/y', 'set /b'],
      ['set /a/y + set /b', 'list /a + get /a/x'],
    ],
    [
      'takes no more writes than it may',
      ['set /a', 'set /b', 'set /c', 'set /d', 'set /e', 'get /f'],
      ['set /a + set /b + set /c + set /d'],
      2,
    ],
    [
      'takes no more bytes than it may',
      ['set /a 400', 'set /b 400', 'set /c 400'],
      ['set /a 400 + set /b 400'],
      1,
    ],
    [
      'sends a request by itself that is longer than the limit',
      ['set /a', 'set /b', 'set /c 1000', 'set /d', 'set /e'],
      ['set /a', 'set /b', 'set /c 1000', 'set /d + set /e'],
    ],
    [
      'reads no more together than it may',
      ['get /a', 'get /b', 'get /c', 'get /d'],
      ['get /a + get /b + get /c', 'get /d'],
    ],
  ])('%s', (_, requests, frames, left = 0) => {
    expect(planOf(requests)).toEqual({ frames, left });
  });

  it('counts the bytes of reads as well', () => {
    const names = ['a', 'b', 'c'].map((name) => `get /${name.repeat(400)}`);
    expect(planOf(names).frames).toHaveLength(2);
  });

  it('only reads while it may not write, and sends nothing after a write', () => {
    const plan = planOf(['get /a', 'get /b', 'set /c', 'get /d'], false);
    expect(plan).toEqual({ frames: ['get /a + get /b'], left: 2 });
    expect(planOf(['set /c', 'get /d'], false)).toEqual({ frames: [], left: 2 });
  });

  it('sends ten thousand creates in one directory one by one, without a delay', () => {
    const requests = Array.from({ length: 10_000 }, (_, index) => `create /a/${index}`);
    expect(planOf(requests)).toEqual({ frames: requests, left: 0 });
  });
});

it.each<[requests: string[], areFew: boolean]>([
  [['set /a', 'list /a'], true],
  [['get /a watch', 'get /b watch'], true],
  [['get /a', 'set /b', 'get /c'], false],
  [['set /a', 'set /b', 'set /c', 'set /d'], false],
])('knows whether %j are too few to be sent together: %s', (requests, areFew) => {
  expect(areTooFew(requests.map(request), { ...LIMITS, fewestWrites: 4 })).toBe(areFew);
});
