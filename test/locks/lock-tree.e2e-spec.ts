import { expect, it, onTestFinished } from 'vitest';
import type { LocksOptions } from 'zk-locks';
import { LockTree, type TreeContender, type TreeKey } from 'zk-locks/inspect';
import { openProxy } from '../support/open-proxy.js';
import { makeLasting, openPlace, openTwo } from '../support/place.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';

async function openTree(root: string, options: Partial<LocksOptions> = {}) {
  const tree = await LockTree.open({ servers: sharedServer().connectString, root, ...options });
  onTestFinished(() => tree.close());
  let changes = 0;
  tree.onChange(() => changes++);
  const key = async (name = 'k'): Promise<TreeKey | undefined> => (await tree.read()).get(name);
  /** Reads after each change, as those do who look on. */
  const until = async (
    isSo: (key: TreeKey | undefined) => boolean,
    name = 'k',
  ): Promise<TreeKey> => {
    let found = await key(name);
    await waitFor(
      async () => {
        if (changes > 0) {
          changes = 0;
          found = await key(name);
        }
        return isSo(found);
      },
      { what: 'the tree to show it' },
    );
    return found!;
  };
  return { tree, key, until };
}

const labels = (contenders: readonly TreeContender[] = []): unknown[] =>
  contenders.map(({ mode, holder }) => `${mode} ${holder?.label}`);

it('shows who holds each key and who waits, and tells of each change', async () => {
  const place = await openTwo();
  const { root, locks, others, queued, directory } = place;
  const { tree, key, until } = await openTree(root);
  expect([...(await tree.read()).keys()]).toEqual([]);
  // Else the server may remove the directory before its end is seen.
  await makeLasting(place);

  const first = await locks.acquire('k', { mode: 'read', label: 'first' });
  await until((found) => found?.holders.length === 1);
  const second = await others.acquire('k', { mode: 'read', label: 'second' });
  const third = locks.acquire('k', { label: 'third' });
  await queued(3);
  const found = await until((now) => now?.total === 3);
  expect(found).toMatchObject({ key: 'k', path: directory, kind: 'lock', lastSequence: 2 });
  expect(labels(found.holders)).toEqual(['read first', 'read second']);
  expect(labels(found.waiters)).toEqual(['write third']);
  expect(found.holders[0]).toMatchObject({
    fencingToken: first.fencingToken,
    isEphemeral: true,
    session: expect.stringMatching(/^[0-9a-f]+$/) as string,
  });
  expect(Math.abs(tree.now() - found.holders[1]!.queuedAt.getTime())).toBeLessThan(60_000);

  await locks.revoke('k');
  await until((now) => now?.holders[0]?.holder?.revokedAt !== undefined);
  await first.release();
  await second.release();
  const passed = await until((now) => now?.holders[0]?.mode === 'write');
  expect(labels(passed.holders)).toEqual(['write third']);
  await (await third).release();
  expect((await until((now) => now?.total === 0)).holders).toEqual([]);
  expect(await key()).toBe(await key());
});

it('shows keys as their own nodes tell, whatever the dialect', async () => {
  const { root, inspector } = await openPlace();
  const theirs = {
    kazoo: '0d0b2f5e8a514f6e9a531f1f4b0c0001__lock__',
    mutex: '_c_0d0b2f5e-8a51-4f6e-9a53-1f1f4b0c0001-lock-',
  };
  await inspector.create(root);
  for (const [key, name] of Object.entries(theirs)) {
    await inspector.create(`${root}/${key}`);
    await inspector.create(`${root}/${key}/${name}`, '192.168.0.7', 'ephemeralSequential');
  }
  await inspector.create(`${root}/mutex/notes`, 'x');
  await inspector.create(`${root}/one`);
  const one = await inspector.create(`${root}/one/lock`, 'by hand', 'persistent');
  const { key } = await openTree(root);
  expect(await key('kazoo')).toMatchObject({
    ...{ kind: 'lock', dialects: ['kazoo'], strangers: [] },
    holders: [{ mode: 'write', holder: undefined, text: '192.168.0.7' }],
  });
  expect(await key('mutex')).toMatchObject({ dialects: ['curator-mutex'], strangers: ['notes'] });
  expect(await key('one')).toMatchObject({
    ...{ kind: 'single-node', lastSequence: undefined },
    holders: [{ node: 'lock', isEphemeral: false, session: undefined, text: 'by hand' }],
  });
  await inspector.delete(one);
});

it('goes on over connections, and has seen what happened meanwhile', async () => {
  const place = await openTwo();
  await makeLasting(place);
  const { root, locks } = place;
  const proxy = await openProxy();
  const { tree, key, until } = await openTree(root, { servers: proxy.connectString });
  const held = await locks.acquire('k');
  await until((now) => now?.holders.length === 1);
  await proxy.refuse();
  await proxy.cut();
  await waitFor(() => tree.session.snapshot.state.name === 'suspended', { what: 'the cut' });
  await held.release();
  await proxy.accept();
  await until((now) => now?.total === 0);
  expect(await key()).toMatchObject({ holders: [] });
});

it('is refused where no server answers in time', async () => {
  const proxy = await openProxy();
  await proxy.refuse();
  const { root } = await openPlace();
  const options = { servers: proxy.connectString, root, connectTimeoutMs: 300 };
  await expect(LockTree.open(options)).rejects.toMatchObject({ code: 'ZK_UNAVAILABLE' });
});
