import { expect, it } from 'vitest';
import { onlyFor } from '../../libs/zk-client/src/port/user.js';
import { openClient } from '../support/clients.js';
import type { FaultProxy } from '../support/fault-proxy.js';
import { openInspector, shortSession, type TestLocks } from '../support/locks.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';
import { openRestrictedPlace, type RestrictedPlace } from './support/place.js';
import { openProxy } from '../support/open-proxy.js';

type Loss = 'loseNextRequest' | 'loseNextReply';
const LOSSES: readonly Loss[] = ['loseNextRequest', 'loseNextReply'];

interface Scene extends RestrictedPlace {
  readonly proxy: FaultProxy;
  /** Behind the proxy. */
  readonly locks: TestLocks;
}

/** With the client that restricts a node only once it is there. */
async function openScene(): Promise<Scene> {
  const place = await openRestrictedPlace();
  const proxy = await openProxy();
  const locks = await place.open({
    ...shortSession,
    client: 'native',
    servers: proxy.connectString,
    application: 'behind the proxy',
  });
  return { ...place, proxy, locks };
}

/** The labels in the nodes of the key. */
async function contents({ root, insider }: Scene): Promise<string[]> {
  const names = await insider.children(`${root}/k`);
  const nodes = await Promise.all(names.map((name) => insider.get(`${root}/k/${name}`)));
  return nodes.map(({ data }) => data.toString());
}

/** Creates what must exist, so that the node in question is made next. */
const BEFORE = {
  'a directory whose parent is missing': async () => undefined,
  'the directory of a key': async ({ open }) => {
    await (await open()).acquire('other');
  },
  'the node of a lock': async ({ open }) => {
    await (await open()).acquire('k', { mode: 'read' });
  },
} satisfies Record<string, (place: RestrictedPlace) => Promise<void>>;

const FAULTS = (
  [
    ['a directory whose parent is missing', 'setACL'],
    ['the directory of a key', 'setACL'],
    ['the node of a lock', 'setACL'],
    ['the node of a lock', 'setData'],
    ['the node of a lock', 'create'],
  ] as const
).flatMap(([node, operation]) => LOSSES.map((loss) => ({ node, operation, loss })));

it.each(FAULTS)('closes $node although a $operation is lost ($loss)', async (fault) => {
  const scene = await openScene();
  const { root, outsiders, proxy, locks } = scene;
  await BEFORE[fault.node](scene);
  const lost = await proxy[fault.loss](fault.operation);
  await using lock = await locks.acquire('k', { mode: 'read' });
  await lost.happened;
  expect(lock.isHeld).toBe(true);
  expect(await outsiders.deedsBelow(root)).toEqual([]);
  const ours = (await contents(scene)).filter((text) => text.includes('behind the proxy'));
  expect(ours).toHaveLength(1);
});

it('shows nothing of a holder before its node is closed', async () => {
  const scene = await openScene();
  const { root, outsiders, proxy, locks } = scene;
  await BEFORE['the directory of a key'](scene);
  const first = await (await scene.open()).acquire('k', { mode: 'read' });
  const lost = await proxy.loseNextRequest('setACL');
  await proxy.refuse();
  const acquiring = locks.acquire('k', { mode: 'read' });
  await lost.happened;
  await waitFor(async () => (await contents(scene)).length === 2, { what: 'the node' });
  expect(await contents(scene)).toContain('');
  await proxy.accept();
  await using lock = await acquiring;
  expect(lock.isHeld).toBe(true);
  expect(await outsiders.deedsBelow(root)).toEqual([]);
  await first.release();
});

it('closes a directory that it had made in a session that ended before it was closed', async () => {
  const { root, insider, outsiders, proxy, locks } = await openScene();
  // Open, so that not everything below must be ours.
  await insider.create(root);
  const lost = await proxy.loseNextRequest('setACL');
  await proxy.refuse();
  const acquiring = locks.acquire('k');
  await lost.happened;
  expect(await insider.exists(`${root}/k`)).toBeDefined();
  await waitFor(() => locks.session.snapshot.state.name === 'connecting', {
    what: 'the session to be over',
  });
  await proxy.accept();
  await using lock = await acquiring;
  expect(lock.isHeld).toBe(true);
  // The lost one, the one of the directory, and the one of the lock node.
  await waitFor(async () => (await proxy.requests()).setACL >= 3, { what: 'the ACL to be set' });
  await insider.sync();
  expect(await outsiders.deedsBelow(`${root}/k`)).toEqual([]);
});

it('fails where another client has taken a directory, says so, and cleans up', async () => {
  const scene = await openScene();
  const { root, insider, proxy, locks } = scene;
  await BEFORE['the directory of a key'](scene);
  const thief = await openInspector();
  const lost = await proxy.loseNextRequest('setACL');
  await proxy.refuse();
  const acquiring = locks.acquire('k').catch((error: unknown) => error);
  await lost.happened;
  await thief.restrictTo(`${root}/k`, 'mallory', 'secret');
  await proxy.accept();
  expect(await acquiring).toMatchObject({ code: 'LOCK_ACCESS_DENIED' });
  // The parent lets us delete it, so that it does not stay.
  expect(await insider.exists(`${root}/k`)).toBeUndefined();
  await using lock = await locks.acquire('k');
  expect(lock.isHeld).toBe(true);
});

it('removes the node of a lock that another client has taken over, and says so', async () => {
  const scene = await openScene();
  const { root, insider, proxy, locks } = scene;
  await BEFORE['the directory of a key'](scene);
  await insider.create(`${root}/k`);
  const lost = await proxy.loseNextRequest('setData');
  await proxy.refuse();
  const acquiring = locks.acquire('k').catch((error: unknown) => error);
  await lost.happened;
  const [name] = await insider.children(`${root}/k`);
  await insider.restrictTo(`${root}/k/${name}`, 'mallory', 'secret');
  await proxy.accept();
  expect(await acquiring).toMatchObject({ code: 'LOCK_ACCESS_DENIED' });
  await waitFor(async () => (await insider.children(`${root}/k`)).length === 0, {
    what: 'the node to be removed',
  });
  await using lock = await locks.acquire('k');
  expect(lock.isHeld).toBe(true);
});

it('does not overwrite data that another client wrote into a node meanwhile', async () => {
  const { client } = await openClient(sharedServer().port, {}, 'native');
  const inspector = await openInspector();
  const { path } = await client.create('/test-open-', Buffer.alloc(0), 'ephemeral-sequential');
  await inspector.set(path, '__REVOKE__');
  await client.complete?.(path, Buffer.from('ours'), onlyFor('world', 'anyone'));
  expect((await inspector.get(path)).data.toString()).toBe('__REVOKE__');
});
