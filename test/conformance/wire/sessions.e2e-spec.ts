import { describe, expect, it, onTestFinished } from 'vitest';
import { CreateMode, OpCode } from 'zk-protocol';
import { sharedServer } from '../../support/shared-server.js';
import { waitFor } from '../../support/wait-for.js';
import { event, WireClient } from '../../support/wire-client.js';
import { attach, openScene, openWire, ownNode } from './support.js';

/** The answer that says that a session is over. */
const OVER = { timeOut: 0, sessionId: 0n, passwd: Buffer.alloc(16) };

describe('the handshake', () => {
  it.each([
    { asked: 0, granted: 1_000 },
    { asked: -5, granted: 1_000 },
    { asked: 999, granted: 1_000 },
    { asked: 12_345, granted: 12_345 },
    { asked: 40_001, granted: 40_000 },
    { asked: 0x7fff_ffff, granted: 40_000 },
  ])('grants $granted ms to who asks for $asked', async ({ asked, granted }) => {
    const { client } = await openWire({ timeOut: asked });
    expect(client.greeting).toMatchObject({ protocolVersion: 0, timeOut: granted });
    expect(client.greeting?.passwd).toHaveLength(16);
    expect(client.sessionId).not.toBe(0n);
  });

  it('has readOnly only for a client that sent it', async () => {
    const knowing = await openWire({ readOnly: true });
    expect(knowing.client.greeting?.readOnly).toBe(false);
    const old = await openWire({ readOnly: undefined });
    expect(old.client.greeting).toBeDefined();
    expect(old.client.greeting).not.toHaveProperty('readOnly');
  });

  it('ignores a password without a session, null included', async () => {
    expect((await openWire({ passwd: null })).client.greeting?.timeOut).toBe(10_000);
    expect((await openWire({ passwd: Buffer.from('x') })).client.greeting?.timeOut).toBe(10_000);
  });

  it('is refused without an answer to a client that has seen a later zxid', async () => {
    const refused = await WireClient.connect(sharedServer().port, {
      lastZxidSeen: 2n ** 62n,
    });
    expect(refused.greeting).toBeUndefined();
  });

  it('closes the connection without an answer if it cannot be decoded', async () => {
    const client = await WireClient.open(sharedServer().port);
    client.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0]));
    await client.ended;
    expect(client.greeting).toBeUndefined();
  });

  it('answers requests sent along with it after it', async () => {
    const path = await ownNode();
    const client = await WireClient.open(sharedServer().port);
    onTestFinished(() => client.close());
    const greeted = client.greet({});
    const reply = client.ask(OpCode.exists, { path, watch: false });
    expect(await greeted).toBeDefined();
    expect((await reply).err).toBe('ok');
  });
});

describe('a session', () => {
  it.each([
    { what: 'a wrong password', passwd: Buffer.alloc(16, 1) },
    { what: 'a short password', passwd: Buffer.alloc(3) },
    { what: 'a null password', passwd: null },
  ])('is over for a client with $what; its owner loses only the connection', async ({ passwd }) => {
    const owner = await openWire();
    const { sessionId } = owner.client;
    const stranger = await WireClient.connect(sharedServer().port, { sessionId, passwd });
    expect(stranger.greeting).toEqual({ protocolVersion: 0, ...OVER, readOnly: false });
    await stranger.ended;
    await owner.client.ended;
    expect((await attach(owner)).client.greeting?.sessionId).toBe(sessionId);
  });

  it('expires in silence, and is over for its client', async () => {
    const path = await ownNode();
    const silent = await openWire({ timeOut: 1_000 });
    await silent.create(`${path}/e`, { flags: CreateMode.ephemeral });
    const watcher = await openWire();
    await watcher.exists(`${path}/e`, true);
    await silent.client.ended;
    await waitFor(() => watcher.client.events.length > 0, { what: 'the node to go' });
    expect(watcher.client.events).toEqual([event('nodeDeleted', `${path}/e`)]);
    const late = await WireClient.attach(sharedServer().port, silent.client);
    expect(late.greeting).toMatchObject(OVER);
    await late.ended;
  });

  it('lives as long as it sends something', async () => {
    const chatty = await openWire({ timeOut: 1_000 });
    const silent = await openWire({ timeOut: 1_000 });
    const talk = setInterval(() => void chatty.client.settle(), 200);
    onTestFinished(() => clearInterval(talk));
    await silent.client.ended;
    const again = await openWire({ timeOut: 1_000 });
    await again.client.ended;
    expect(chatty.client.isEnded).toBe(false);
  });

  it('loses all its ephemeral nodes in one transaction when it is closed', async () => {
    const path = await ownNode();
    const owner = await openWire();
    await owner.create(`${path}/sub`);
    for (const name of ['a', 'b', 'sub/c']) {
      await owner.create(`${path}/${name}`, { flags: CreateMode.ephemeral });
    }
    const watcher = await openWire();
    for (const name of ['a', 'b', 'sub/c']) await watcher.exists(`${path}/${name}`, true);
    const closed = await owner.client.ask(OpCode.closeSession, undefined);
    await owner.client.ended;
    expect(closed.err).toBe('ok');
    const { pzxid, numChildren } = await watcher.stat(path);
    expect({ pzxid, numChildren }).toEqual({ pzxid: closed.zxid, numChildren: 1 });
    expect((await watcher.stat(`${path}/sub`)).pzxid).toBe(closed.zxid);
    expect(watcher.client.events).toHaveLength(3);
    const late = await WireClient.attach(sharedServer().port, owner.client);
    expect(late.greeting).toMatchObject(OVER);
  });

  it('executes no request after its close', async () => {
    const { root, wire } = await openScene();
    const closing = wire.client.ask(OpCode.closeSession, undefined);
    const behind = wire.create(`${root}/n`).then(
      ({ err }) => err,
      () => 'not answered',
    );
    // A real server may answer, if the connection lives long enough.
    expect(await behind).toMatch(/^(not answered|sessionExpired)$/);
    expect((await closing).err).toBe('ok');
    expect((await (await openWire()).exists(`${root}/n`)).err).toBe('noNode');
  });
});
