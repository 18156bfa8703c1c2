import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  AddWatchMode,
  OpCode,
  Perms,
  WatcherType,
  type ACL,
  type ConnectRequest,
  type ConnectResponse,
} from 'zk-protocol';
import { ZooKeeperServer } from '../support/zookeeper-server.js';
import { event, WireClient } from '../support/wire-client.js';
import { expectCanonical } from './expect-canonical.js';
import { keepGolden } from './golden-file.js';
import { RecordingRelay } from './recording-relay.js';

const world: ACL = { perms: Perms.all, id: { scheme: 'world', id: 'anyone' } };
const over = { protocolVersion: 0, timeOut: 0, sessionId: 0n, passwd: Buffer.alloc(16) };

let server: ZooKeeperServer;
let relay: RecordingRelay;

beforeAll(async () => {
  server = await ZooKeeperServer.start();
  relay = await RecordingRelay.start(server.port);
});

afterAll(async () => {
  keepGolden('raw-sessions', relay.connections);
  await relay[Symbol.asyncDispose]();
  await server.stop();
});

async function open(
  request: Partial<ConnectRequest> = {},
): Promise<{ client: WireClient; session: ConnectResponse }> {
  const client = await WireClient.connect(relay.port, request);
  if (!client.greeting) throw new Error('the server closed the connection');
  return { client, session: client.greeting };
}

const make = (client: WireClient, path: string, more: { flags?: number; acl?: ACL[] } = {}) =>
  client.ask(OpCode.create, { path, data: null, acl: [world], flags: 0, ...more });

describe('connecting', () => {
  it('gives a new session an id, a password of 16 bytes and a timeout within bounds', async () => {
    const { client, session } = await open({ timeOut: 1 });
    expect(session).toMatchObject({ protocolVersion: 0, timeOut: 1_000, readOnly: false });
    expect(session.sessionId).not.toBe(0n);
    expect(session.passwd).toHaveLength(16);
    client.drop();
    const { client: patient, session: long } = await open({ timeOut: 999_999 });
    expect(long.timeOut).toBe(40_000);
    patient.drop();
  });

  it('is answered without readOnly, where the client says nothing of it', async () => {
    const { client, session } = await open({ readOnly: undefined });
    expect(session).not.toHaveProperty('readOnly');
    client.drop();
  });

  it('attaches to a session again with its password, with a new timeout', async () => {
    const { client, session } = await open();
    await make(client, '/attached', { flags: 1 });
    client.drop();
    const again = await open({ ...session, timeOut: 5_000 });
    expect(again.session).toEqual({ ...session, timeOut: 5_000 });
    const { body } = await again.client.ask(OpCode.exists, { path: '/attached', watch: false });
    expect(body?.stat.ephemeralOwner).toBe(session.sessionId);
    again.client.drop();
  });

  it('moves a session, and closes the connection that it leaves', async () => {
    const { client, session } = await open();
    const again = await open(session);
    await client.ended;
    expect(again.session).toEqual(session);
    again.client.drop();
  });

  it('with a wrong password is refused with zeros, and closes the connection of the session', async () => {
    const { client, session } = await open();
    const wrong = await open({ ...session, passwd: Buffer.alloc(16, 1) });
    expect(wrong.session).toEqual({ ...over, readOnly: false });
    await wrong.client.ended;
    await client.ended;
    const again = await open(session);
    expect(again.session).toEqual(session);
    again.client.drop();
  });

  it('to a session that is over is refused with the same zeros', async () => {
    const unknown = await open({ sessionId: 0x7777n, passwd: Buffer.alloc(16) });
    expect(unknown.session).toEqual({ ...over, readOnly: false });
    await unknown.client.ended;
  });

  it('is not answered where the client has seen more than the server has', async () => {
    const { greeting } = await WireClient.connect(relay.port, { lastZxidSeen: 0x7000_0000n });
    expect(greeting).toBeUndefined();
  });

  it('ends with a reply and then the connection, when the session is closed', async () => {
    const { client, session } = await open();
    await make(client, '/closing', { flags: 1 });
    const reply = await client.ask(OpCode.closeSession, undefined);
    expect(reply).toMatchObject({ err: 'ok', body: undefined });
    await client.ended;
    const again = await open(session);
    expect(again.session.sessionId).toBe(0n);
  });
});

describe('pings and credentials', () => {
  it('answers a ping under the xid -2, whatever xid it had', async () => {
    const { client } = await open();
    const ping = await client.ask(OpCode.ping, undefined);
    expect(ping).toMatchObject({ err: 'ok', body: undefined });
    client.drop();
  });

  it('tells who somebody is, before and after good credentials', async () => {
    const { client } = await open();
    const who = async () => {
      const { body } = await client.ask(OpCode.whoAmI, undefined);
      // The server keeps them in a set, in no order of its own.
      return [...body!.clientInfo].sort((a, b) => (a.authScheme! < b.authScheme! ? 1 : -1));
    };
    const ip = { authScheme: 'ip', user: '127.0.0.1' };
    expect(await who()).toEqual([ip]);
    const auth = { type: 0, scheme: 'digest', auth: Buffer.from('ann:secret') };
    const reply = await client.ask(OpCode.auth, auth);
    expect(reply).toMatchObject({ zxid: 0n, err: 'ok', body: undefined, surplus: 0 });
    expect(await who()).toEqual([ip, { authScheme: 'digest', user: 'ann' }]);
    client.drop();
  });

  it('answers bad credentials with the zxid 0, and closes the connection', async () => {
    const { client } = await open();
    const auth = { type: 0, scheme: 'nonesuch', auth: Buffer.from('ann') };
    const reply = await client.ask(OpCode.auth, auth);
    expect(reply).toMatchObject({ err: 'authFailed', zxid: 0n });
    await client.ended;
  });

  it('stores `auth` as who one is, and masks digests from those who may not administer', async () => {
    const { client } = await open();
    const auth = { type: 0, scheme: 'digest', auth: Buffer.from('ann:secret') };
    await client.ask(OpCode.auth, auth);
    await make(client, '/acl');
    const acl: ACL[] = [
      { perms: Perms.all, id: { scheme: 'auth', id: '' } },
      { perms: Perms.read, id: { scheme: 'world', id: 'anyone' } },
    ];
    const set = await client.ask(OpCode.setACL, { path: '/acl', acl, version: 0 });
    expect(set.body?.stat.aversion).toBe(1);
    expect(await client.ask(OpCode.setACL, { path: '/acl', acl, version: 0 })).toMatchObject({
      err: 'badVersion',
    });
    const get = async (asker: WireClient) =>
      (await asker.ask(OpCode.getACL, { path: '/acl' })).body?.acl[0]?.id;
    expect((await get(client))?.id).toMatch(/^ann:.{28}$/);
    const { client: other } = await open();
    expect(await get(other)).toEqual({ scheme: 'digest', id: 'ann:x' });
    expect(await other.ask(OpCode.delete, { path: '/acl', version: 0 })).toMatchObject({
      err: 'ok',
    });
    expect(
      await make(other, '/bad', { acl: [{ ...world, id: { scheme: 'auth', id: '' } }] }),
    ).toMatchObject({ err: 'invalidACL' });
    for (const one of [client, other]) one.drop();
  });
});

describe('watches', () => {
  it('fire once, before the answer to the request that fired them', async () => {
    const { client } = await open();
    await client.ask(OpCode.exists, { path: '/w', watch: true });
    await make(client, '/w');
    expect(client.events).toEqual([event('nodeCreated', '/w')]);
    await client.ask(OpCode.getData, { path: '/w', watch: true });
    await client.ask(OpCode.getChildren, { path: '/w', watch: true });
    await client.ask(OpCode.setData, { path: '/w', data: null, version: -1 });
    await client.ask(OpCode.setData, { path: '/w', data: null, version: -1 });
    await make(client, '/w/child');
    await client.ask(OpCode.delete, { path: '/w/child', version: -1 });
    expect(client.events.slice(1)).toEqual([
      event('nodeDataChanged', '/w'),
      event('nodeChildrenChanged', '/w'),
    ]);
    client.drop();
  });

  it('stay, where they were added; recursive ones tell no children', async () => {
    const { client } = await open();
    const add = (path: string, mode: number) => client.ask(OpCode.addWatch, { path, mode });
    expect(await add('/stay', AddWatchMode.persistent)).toMatchObject({ body: { err: 0 } });
    await make(client, '/stay');
    await make(client, '/stay/a');
    expect(client.events).toEqual([
      event('nodeCreated', '/stay'),
      event('nodeChildrenChanged', '/stay'),
    ]);
    await add('/deep', AddWatchMode.persistentRecursive);
    await make(client, '/deep');
    await make(client, '/deep/a');
    expect(client.events.slice(2)).toEqual([
      event('nodeCreated', '/deep'),
      event('nodeCreated', '/deep/a'),
    ]);
    client.drop();
  });

  it('are checked and removed, or said not to be there', async () => {
    const { client } = await open();
    const path = '/removed';
    const check = (type: number) => client.ask(OpCode.checkWatches, { path, type });
    const remove = (type: number) => client.ask(OpCode.removeWatches, { path, type });
    await client.ask(OpCode.exists, { path, watch: true });
    expect(await check(WatcherType.data)).toMatchObject({ err: 'ok', body: undefined });
    expect(await check(WatcherType.children)).toMatchObject({ err: 'noWatcher' });
    expect(await remove(WatcherType.children)).toMatchObject({ err: 'noWatcher' });
    expect(await remove(WatcherType.any)).toMatchObject({ err: 'ok', body: undefined });
    expect(await check(WatcherType.any)).toMatchObject({ err: 'noWatcher' });
    expect(client.events).toEqual([]);
    client.drop();
  });

  it('that were missed fire when they are set again, before the answer', async () => {
    const { client: writer } = await open();
    await make(writer, '/untouched');
    const { zxid } = await make(writer, '/missed');
    await writer.ask(OpCode.setData, { path: '/missed', data: null, version: -1 });
    await make(writer, '/missed/child');
    const { client } = await open();
    const watches = {
      relativeZxid: zxid,
      dataWatches: ['/missed', '/no-more'],
      existWatches: ['/missed', '/not-yet'],
      childWatches: ['/missed', '/untouched'],
    };
    const set = await client.ask(OpCode.setWatches, watches);
    expect(set).toMatchObject({ err: 'ok', body: undefined });
    expect(client.events).toEqual([
      event('nodeDataChanged', '/missed'),
      event('nodeDeleted', '/no-more'),
      event('nodeCreated', '/missed'),
      event('nodeChildrenChanged', '/missed'),
    ]);
    await make(writer, '/not-yet');
    await client.ask(OpCode.setWatches2, {
      ...watches,
      persistentWatches: ['/untouched'],
      persistentRecursiveWatches: ['/missed'],
    });
    const before = client.events.length;
    await make(writer, '/untouched/a');
    await make(writer, '/missed/b');
    await client.ask(OpCode.sync, { path: '/' });
    expect(client.events.slice(before)).toEqual([
      event('nodeChildrenChanged', '/untouched'),
      event('nodeCreated', '/missed/b'),
    ]);
    for (const one of [client, writer]) one.drop();
  });
});

it('every frame above was read to its end, and is written as it was', () => {
  expect(relay.frames.length).toBeGreaterThan(100);
  for (const read of relay.frames) expectCanonical(read);
});
