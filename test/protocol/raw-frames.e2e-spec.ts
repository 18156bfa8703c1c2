import { expect, it } from 'vitest';
import { type ACL, AddWatchMode, type MultiPart, OpCode, Perms, WatcherType } from 'zk-protocol';
import { creation, OPEN, Wire } from '../conformance/wire/support.js';
import { WireClient } from '../support/wire-client.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';
import { expectCanonical } from './expect-canonical.js';
import { keepGolden } from './golden-file.js';
import { RecordingRelay } from './recording-relay.js';

const data = Buffer.from('hello');

/** Each answers something, or refuses it; test/conformance/wire tells what, and why. */
async function askAboutNodes({ port }: RecordingRelay): Promise<void> {
  const wire = new Wire(await WireClient.connect(port));
  const { client } = wire;
  for (const [path, content] of [
    ['/made', data],
    ['/null', null],
    ['/empty', Buffer.alloc(0)],
  ]) {
    await wire.create(path as string, { data: content as Buffer | null });
    await wire.getData(path as string);
  }
  await wire.create2('/made/ephemeral-', { flags: 3 });
  await wire.createContainer('/made/container');
  await wire.createTTL('/made/ttl', 60_000n);
  await wire.create('/made/smile-\u{1f600}', { acl: [] });
  await wire.exists('/made');
  await wire.exists('/none');
  await wire.setData('/made', 'new', 0);
  await wire.setData('/made', 'new', 0);
  await client.ask(OpCode.getChildren, { path: '/made', watch: false });
  await wire.getChildren('/made');
  await client.ask(OpCode.getAllChildrenNumber, { path: '/made' });
  for (const prefixPath of ['/made', '', null]) {
    await client.ask(OpCode.getEphemerals, { prefixPath });
  }
  await client.ask(OpCode.sync, { path: '/none' });
  await client.ask(OpCode.check, { path: '/none', version: 0 });
  await wire.remove('/made');
  await wire.remove('/null', 0);
  const changes: MultiPart[] = [
    { type: OpCode.check, request: { path: '/made', version: 1 } },
    { type: OpCode.create, request: creation('/made/1') },
    { type: OpCode.create2, request: creation('/made/2') },
    { type: OpCode.createContainer, request: creation('/made/c', { flags: 4 }) },
    { type: OpCode.createTTL, request: { ...creation('/made/t', { flags: 5 }), ttl: 60_000n } },
    { type: OpCode.setData, request: { path: '/made/1', data: null, version: 0 } },
    { type: OpCode.delete, request: { path: '/made/2', version: -1 } },
  ];
  // The second time it fails as a whole.
  for (const parts of [changes, changes, []]) await client.ask(OpCode.multi, parts);
  await client.ask(OpCode.multiRead, [
    { type: OpCode.getData, request: { path: '/made', watch: false } },
    { type: OpCode.getData, request: { path: '/none', watch: false } },
    { type: OpCode.getChildren, request: { path: '/made', watch: false } },
  ]);
  client.drop();
}

async function useSessions({ port }: RecordingRelay): Promise<void> {
  const writer = new Wire(await WireClient.connect(port, { readOnly: undefined }));
  const owner = await WireClient.connect(port);
  const over = { sessionId: owner.sessionId, passwd: Buffer.alloc(16, 1) };
  await (
    await WireClient.connect(port, over)
  ).ended;
  const wire = new Wire(await WireClient.attach(port, owner));
  const { client } = wire;
  await client.ask(OpCode.ping, undefined);
  await wire.authenticate('ann:secret');
  await client.ask(OpCode.whoAmI, undefined);
  const { zxid } = await writer.create('/w');
  const acl: ACL[] = [{ perms: Perms.all, id: { scheme: 'auth', id: '' } }, ...OPEN];
  await wire.setAcl('/w', acl, 0);
  await wire.getAcl('/w');
  await writer.getAcl('/w');

  await wire.getData('/w', true);
  await client.ask(OpCode.getChildren, { path: '/w', watch: true });
  for (const path of ['/deep', '/w']) {
    await client.ask(OpCode.addWatch, { path, mode: AddWatchMode.persistentRecursive });
  }
  await writer.setData('/w');
  await writer.create('/w/child');
  await writer.remove('/w/child');
  for (const type of [WatcherType.data, WatcherType.any]) {
    await client.ask(OpCode.checkWatches, { path: '/w', type });
    await client.ask(OpCode.removeWatches, { path: '/w', type });
  }
  const missed = {
    relativeZxid: zxid,
    ...{ dataWatches: ['/w', '/gone'], existWatches: ['/w', '/later'], childWatches: ['/w'] },
  };
  await client.ask(OpCode.setWatches, missed);
  await client.ask(OpCode.setWatches2, {
    ...missed,
    ...{ persistentWatches: ['/w'], persistentRecursiveWatches: ['/later'] },
  });
  await client.ask(OpCode.closeSession, undefined);
  await new Wire(await WireClient.attach(port, client)).client.ended;
  await writer.authenticate('ann', 'nonesuch');
  await writer.client.ended;
}

it.each([
  ['raw-nodes', 50, askAboutNodes],
  ['raw-sessions', 50, useSessions],
])('every frame of %s is read to its end, and is written as it was', async (name, least, ask) => {
  const systemProperties = { 'zookeeper.extendedTypesEnabled': 'true' };
  await using server = await ZooKeeperServer.start({ systemProperties });
  await using relay = await RecordingRelay.start(server.port);
  await ask(relay);
  expect(relay.frames.length).toBeGreaterThan(least);
  for (const read of relay.frames) expectCanonical(read);
  keepGolden(name, relay.connections);
});

/** Where the embedded server answers as one would expect. */
it('a real server has odd answers to a check, a writing multiRead and a deleted container', async () => {
  await using server = await ZooKeeperServer.start();
  const client = await WireClient.connect(server.port);
  const checks = [0, 3].map((version) => client.ask(OpCode.check, { path: '/', version }));
  let answers = 0;
  for (const check of checks) void check.then(() => answers++).catch(() => undefined);
  await client.settle();
  // The one that failed.
  expect(answers).toBe(1);
  const removal: MultiPart = { type: OpCode.delete, request: { path: '/none', version: 0 } };
  // An empty body follows the header.
  const refused = { err: 'marshallingError', surplus: 9 };
  expect(await client.ask(OpCode.multiRead, [removal])).toMatchObject(refused);
  const container = Buffer.from('000000022f61ffffffff', 'hex');
  expect((await client.askRaw(OpCode.deleteContainer, container)).err).toBe('badArguments');
  client.drop();
});
