import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CreateMode,
  DEFAULT_MAX_FRAME_BYTES,
  encode,
  OpCode,
  Perms,
  requestCodec,
  type ACL,
  type MultiPart,
  type RequestBody,
} from 'zk-protocol';
import { ZooKeeperServer } from '../support/zookeeper-server.js';
import { WireClient } from '../support/wire-client.js';
import { expectCanonical } from './expect-canonical.js';
import { keepGolden } from './golden-file.js';
import { fateOf } from './fate-of.js';
import { RecordingRelay } from './recording-relay.js';

const world: ACL = { perms: Perms.all, id: { scheme: 'world', id: 'anyone' } };
const hello = Buffer.from('hello');
const unchecked = -1;

let server: ZooKeeperServer;
let relay: RecordingRelay;
let client: WireClient;

beforeAll(async () => {
  server = await ZooKeeperServer.start({
    systemProperties: { 'zookeeper.extendedTypesEnabled': 'true' },
  });
  relay = await RecordingRelay.start(server.port);
  client = await WireClient.connect(relay.port);
});

afterAll(async () => {
  client.drop();
  keepGolden('raw-nodes', relay.connections);
  await relay[Symbol.asyncDispose]();
  await server.stop();
});

const create = (path: string, more: Partial<RequestBody<typeof OpCode.create>> = {}) =>
  client.ask(OpCode.create, { path, data: hello, acl: [world], flags: 0, ...more });

describe('creating', () => {
  it('answers create with the path, and the others with path and stat', async () => {
    expect(await create('/made')).toMatchObject({ err: 'ok', body: { path: '/made' } });
    const body = { path: '/made/by-2-', data: hello, acl: [world], flags: 3 };
    expect(await client.ask(OpCode.create2, body)).toMatchObject({
      body: { path: '/made/by-2-0000000000', stat: { dataLength: 5, version: 0, numChildren: 0 } },
    });
    expect(
      await client.ask(OpCode.createContainer, {
        ...{ path: '/made/container', data: null, acl: [world] },
        flags: CreateMode.container,
      }),
    ).toMatchObject({ body: { stat: { ephemeralOwner: 0n, dataLength: 0 } } });
    expect(
      await client.ask(OpCode.createTTL, {
        ...{ path: '/made/ttl', data: hello, acl: [world] },
        ...{ flags: CreateMode.persistentWithTTL, ttl: 60_000n },
      }),
    ).toMatchObject({ body: { stat: { ephemeralOwner: 0n, dataLength: 5 } } });
  });

  it('says what is wrong, and nothing after the header', async () => {
    expect(await create('/made')).toMatchObject({ err: 'nodeExists', body: undefined });
    expect(await create('/none/child')).toMatchObject({ err: 'noNode' });
    expect(await create('/acl', { acl: [] })).toMatchObject({ err: 'invalidACL' });
    expect(await create('no-slash')).toMatchObject({ err: 'badArguments' });
    expect(await create('/made/')).toMatchObject({ err: 'badArguments' });
    expect(await create('/smile-\u{1f600}')).toMatchObject({ err: 'badArguments' });
    expect(await create('/flags', { flags: 99 })).toMatchObject({ err: 'badArguments' });
    expect(await create('/made/by-2-0000000000/child')).toMatchObject({
      err: 'noChildrenForEphemerals',
    });
  });
});

describe('reading and writing', () => {
  it('gives data back as null, empty or bytes, as it was written', async () => {
    for (const data of [null, Buffer.alloc(0), hello]) {
      const { path } = (await create('/data-', { data, flags: 2 })).body!;
      const reply = await client.ask(OpCode.getData, { path, watch: false });
      expect(reply.body?.data).toEqual(data);
      expect(reply.body?.stat.dataLength).toBe(data?.length ?? 0);
    }
  });

  it('answers exists with a stat or noNode', async () => {
    const exists = (path: string) => client.ask(OpCode.exists, { path, watch: false });
    expect(await exists('/made')).toMatchObject({ body: { stat: { numChildren: 3 } } });
    expect(await exists('/none')).toMatchObject({ err: 'noNode', body: undefined });
  });

  it('answers setData with a stat, badVersion or noNode', async () => {
    await create('/set');
    const set = (path: string, version: number) =>
      client.ask(OpCode.setData, { path, data: Buffer.from('new'), version });
    expect(await set('/set', 0)).toMatchObject({ body: { stat: { version: 1, dataLength: 3 } } });
    expect(await set('/set', 0)).toMatchObject({ err: 'badVersion' });
    expect(await set('/none', 0)).toMatchObject({ err: 'noNode' });
  });

  it('answers delete with a header alone', async () => {
    await create('/gone');
    const remove = (path: string, version: number) => client.ask(OpCode.delete, { path, version });
    expect(await remove('/gone', 7)).toMatchObject({ err: 'badVersion' });
    expect(await remove('/gone', 0)).toMatchObject({ err: 'ok', body: undefined });
    expect(await remove('/gone', 0)).toMatchObject({ err: 'noNode' });
    expect(await remove('/made', unchecked)).toMatchObject({ err: 'notEmpty' });
  });

  it('lists children and ephemerals, and counts', async () => {
    const list = { path: '/made', watch: false };
    const names = ['by-2-0000000000', 'container', 'ttl'];
    const sorted = { children: expect.toSatisfy((c: string[]) => isSame(c, names)) as unknown };
    expect((await client.ask(OpCode.getChildren, list)).body).toEqual(sorted);
    expect((await client.ask(OpCode.getChildren2, list)).body).toMatchObject({
      ...sorted,
      stat: { cversion: 3 },
    });
    expect((await client.ask(OpCode.getAllChildrenNumber, { path: '/made' })).body).toEqual({
      totalNumber: 3,
    });
    for (const prefixPath of ['/made', '', null]) {
      expect((await client.ask(OpCode.getEphemerals, { prefixPath })).body).toEqual({
        ephemerals: ['/made/by-2-0000000000'],
      });
    }
    expect((await client.ask(OpCode.getEphemerals, { prefixPath: '/else' })).body).toEqual({
      ephemerals: [],
    });
  });

  it('answers sync with the path, whether there is such a node or not', async () => {
    expect((await client.ask(OpCode.sync, { path: '/made' })).body).toEqual({ path: '/made' });
    expect((await client.ask(OpCode.sync, { path: '/none' })).body).toEqual({ path: '/none' });
  });
});

describe('a check that stands alone', () => {
  const fate = (path: string, version: number) =>
    fateOf(client, OpCode.check, encode(requestCodec(OpCode.check), { path, version }));

  it('is answered where it fails, and never where it succeeds', async () => {
    await create('/check');
    expect(await fate('/check', 3)).toMatchObject({ err: 'badVersion', body: undefined });
    expect(await fate('/none', 0)).toMatchObject({ err: 'noNode' });
    expect(await fate('/check', 0)).toBe('no answer');
  });
});

describe('multi', () => {
  const multi = async (parts: readonly MultiPart[]) => client.ask(OpCode.multi, parts);
  const make = (path: string) => ({ path, data: hello, acl: [world], flags: 0 });

  it('answers part by part, and those that create a container or TTL as create2', async () => {
    await create('/multi');
    const { err, body } = await multi([
      { type: OpCode.check, request: { path: '/multi', version: 0 } },
      { type: OpCode.create, request: make('/multi/1') },
      { type: OpCode.create2, request: make('/multi/2') },
      { type: OpCode.createContainer, request: { ...make('/multi/c'), flags: 4 } },
      { type: OpCode.createTTL, request: { ...make('/multi/t'), flags: 5, ttl: 60_000n } },
      { type: OpCode.setData, request: { path: '/multi/1', data: null, version: 0 } },
      { type: OpCode.delete, request: { path: '/multi/2', version: unchecked } },
    ]);
    expect(err).toBe('ok');
    expect(body).toMatchObject([
      { type: OpCode.check, reply: undefined },
      { type: OpCode.create, reply: { path: '/multi/1' } },
      { type: OpCode.create, reply: { path: '/multi/2' } },
      { type: OpCode.create2, reply: { path: '/multi/c' } },
      { type: OpCode.create2, reply: { path: '/multi/t' } },
      { type: OpCode.setData, reply: { stat: { version: 1, dataLength: 0 } } },
      { type: OpCode.delete, reply: undefined },
    ]);
  });

  it('fails as a whole: 0 before the part that failed, runtimeInconsistency after it', async () => {
    const reply = await multi([
      { type: OpCode.create, request: make('/multi/3') },
      { type: OpCode.check, request: { path: '/multi', version: 9 } },
      { type: OpCode.delete, request: { path: '/none', version: 0 } },
    ]);
    expect(reply).toMatchObject({
      err: 'ok',
      body: [
        { type: OpCode.error, err: 0 },
        { type: OpCode.error, err: -103 },
        { type: OpCode.error, err: -2 },
      ],
    });
  });

  it('of no parts is answered with none', async () => {
    expect(await multi([])).toMatchObject({ err: 'ok', body: [] });
  });

  it('that reads is a marshalling error', async () => {
    const reading: MultiPart = { type: OpCode.getData, request: { path: '/', watch: false } };
    expect(await multi([reading])).toMatchObject({ err: 'marshallingError' });
  });
});

describe('multiRead', () => {
  const read = (type: 4 | 8, path: string): MultiPart => ({
    type,
    request: { path, watch: false },
  });

  it('answers each part by itself', async () => {
    await create('/read');
    await create('/read/child');
    expect(
      await client.ask(OpCode.multiRead, [
        read(OpCode.getData, '/read'),
        read(OpCode.getData, '/none'),
        read(OpCode.getChildren, '/read'),
      ]),
    ).toMatchObject({
      err: 'ok',
      body: [
        { type: OpCode.getData, reply: { data: hello, stat: { numChildren: 1 } } },
        { type: OpCode.error, err: -101 },
        { type: OpCode.getChildren, reply: { children: ['child'] } },
      ],
    });
  });
});

describe('requests that make no sense', () => {
  const bytes = (hex: string) => Buffer.from(hex, 'hex');

  const nothing = '';
  const nullPathToCreate = 'ff'.repeat(12) + '00000000';

  it.each([
    { what: 'getData that ends early', type: OpCode.getData, body: '000000' },
    { what: 'getData of a null path', type: OpCode.getData, body: 'ffffffff00' },
    { what: 'create of a null path', type: OpCode.create, body: nullPathToCreate },
    { what: 'setData that ends early', type: OpCode.setData, body: nothing },
    { what: 'a multi without an end', type: OpCode.multi, body: nothing },
    { what: 'a multi with a part of an unknown type', type: OpCode.multi, body: '000003e700' },
    {
      what: 'checkWatches of no known kind',
      type: OpCode.checkWatches,
      body: '000000012f0000000a',
    },
  ])('$what is a marshalling error, and the connection goes on', async ({ type, body }) => {
    // Not through the relay, which could not read it.
    const senseless = await WireClient.connect(server.port);
    expect(await fateOf(senseless, type, bytes(body))).toMatchObject({ err: 'marshallingError' });
    expect(await senseless.ask(OpCode.sync, { path: '/' })).toMatchObject({ err: 'ok' });
    senseless.drop();
  });

  it.each([
    { what: 'a path with NUL', type: OpCode.exists, body: '000000022f0000', err: 'badArguments' },
    { what: 'reconfig', type: OpCode.reconfig, body: 'ff'.repeat(20), err: 'reconfigDisabled' },
    { what: 'deleteContainer', type: 20, body: '000000052f6d616465ffffffff', err: 'badArguments' },
  ])('$what is refused with $err', async ({ type, body, err }) => {
    const senseless = await WireClient.connect(server.port);
    expect(await fateOf(senseless, type, bytes(body))).toMatchObject({ err });
    senseless.drop();
  });

  it.each([0, 10, 999, OpCode.error])(
    'type %i is unimplemented with the zxid -1, and the connection is closed',
    async (type) => {
      const senseless = await WireClient.connect(server.port);
      const fate = await fateOf(senseless, type);
      expect(fate).toMatchObject({ err: 'unimplemented', zxid: -1n });
      await senseless.ended;
    },
  );

  it('a multiRead that writes has its marshalling error before an empty body', async () => {
    const writing: MultiPart = { type: OpCode.delete, request: { path: '/read', version: 0 } };
    const senseless = await WireClient.connect(server.port);
    expect(await senseless.ask(OpCode.multiRead, [writing])).toMatchObject({
      err: 'marshallingError',
      surplus: 9,
    });
    senseless.drop();
  });

  it('a frame may have as many bytes as our reader takes, and not one more', async () => {
    const lengthy = await WireClient.connect(server.port);
    const longest = Buffer.alloc(DEFAULT_MAX_FRAME_BYTES - 8);
    // It begins with an empty path, which is another name of the root.
    expect(await fateOf(lengthy, OpCode.getData, longest)).toMatchObject({ err: 'ok' });
    const tooLong = Buffer.alloc(longest.length + 1);
    expect(await fateOf(lengthy, OpCode.getData, tooLong)).toBe('closed');
  });

  it('more bytes than the record has are no error', async () => {
    const body = encode(requestCodec(OpCode.exists), { path: '/made', watch: false });
    const talkative = await WireClient.connect(server.port);
    const fate = await fateOf(talkative, OpCode.exists, Buffer.concat([body, hello]));
    expect(fate).toMatchObject({ err: 'ok' });
  });
});

it('every frame above was read to its end, and is written as it was', () => {
  expect(relay.frames.length).toBeGreaterThan(100);
  for (const read of relay.frames) expectCanonical(read);
});

function isSame(actual: readonly string[], wanted: readonly string[]): boolean {
  return JSON.stringify([...actual].sort()) === JSON.stringify(wanted);
}
