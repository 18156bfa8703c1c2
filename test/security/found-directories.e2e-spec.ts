import { expect, it, onTestFinished } from 'vitest';
import { silentLogger } from '../../libs/zk-client/src/logger.js';
import { openInspector, TestLocks } from '../support/locks.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';
import { credentials, openRestrictedPlace } from './support/place.js';
import { openProxy } from '../support/open-proxy.js';

async function openWarned(root: string, servers = sharedServer().connectString) {
  const warnings: string[] = [];
  const warn = (message: string): void => void warnings.push(message);
  const locks = new TestLocks({ root, credentials, servers }, { ...silentLogger, warn });
  onTestFinished(() => locks.close());
  await locks.start();
  return { locks, warnings };
}

it('works in an open root that was there, closes what it makes there, and warns once', async () => {
  const { root, insider, outsiders } = await openRestrictedPlace();
  const anonymous = await openInspector();
  await anonymous.create(root);
  const { locks, warnings } = await openWarned(root);
  await using first = await locks.acquire('a');
  await using second = await locks.acquire('b');
  await locks.withLock('a b', () => undefined);
  expect([first.isHeld, second.isHeld]).toEqual([true, true]);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatch(
    new RegExp(`^${root} is open to every client.*setAcl -R ${root} auth::cdrwa.*acl: 'open'`),
  );
  expect(warnings[0]).not.toContain('\n');
  // An existing directory keeps the ACL that its owner chose.
  expect(await anonymous.children(root)).toEqual(expect.arrayContaining(['a', 'b']));
  expect(await outsiders.deedsBelow(`${root}/a`)).toEqual([]);
  expect((await insider.tree(root)).length).toBeGreaterThanOrEqual(4);
});

it('says nothing of a root that is closed, or that it makes itself', async () => {
  const { root } = await openRestrictedPlace();
  for (const key of ['made', 'found']) {
    const { locks, warnings } = await openWarned(root);
    const lock = await locks.acquire(key);
    // A second look finds warnings that come late.
    await locks.withLock('other', () => undefined);
    expect(warnings).toEqual([]);
    await lock.release();
  }
});

it('closes a directory that another client left open in a closed root', async () => {
  const { root, insider, outsiders, open } = await openRestrictedPlace();
  await insider.create(root);
  await insider.restrictTo(root, credentials.username, credentials.password);
  const left = [`${root}/k`, `${root}/s`, `${root}/s/locks`, `${root}/s/leases`];
  for (const path of left) await insider.create(path);
  const proxy = await openProxy();
  const locks = await open({ servers: proxy.connectString, client: 'native' });
  await using lock = await locks.acquire('k');
  await using permit = await locks.semaphore('s', { permits: 1 }).acquire();
  expect([lock.isHeld, permit.isHeld]).toEqual([true, true]);
  // Four directories, a lock node, a place in the queue and a lease.
  await waitFor(async () => (await proxy.requests()).setACL >= 7, { what: 'all ACLs to be set' });
  await insider.sync();
  expect(await outsiders.deedsBelow(root)).toEqual([]);
});

it.each([
  // The npm package cannot send an ACL along, so that it follows, and the data behind it.
  { client: 'native', requests: { create: 1, setACL: 1, setData: 1 } },
  { client: 'wire', requests: { create: 1, setACL: 0, setData: 0 } },
] as const)(
  'restricts its own node alone where the directories are restricted ($client)',
  async ({ client, requests }) => {
    const { open } = await openRestrictedPlace();
    const first = await open({ client: 'native' });
    await using reader = await first.acquire('k', { mode: 'read' });
    expect(reader.isHeld).toBe(true);
    const proxy = await openProxy();
    const locks = await open({ servers: proxy.connectString, client });
    await proxy.resetCounters();
    await using lock = await locks.acquire('k', { mode: 'read' });
    expect(lock.isHeld).toBe(true);
    expect(await proxy.requests()).toMatchObject(requests);
  },
);
