import { describe, expect, it } from 'vitest';
import {
  type LocksOptions,
  ZkClosedError,
  type ZkClient,
  ZkLockConfigError,
  ZooKeeperUnavailableError,
} from 'zk-locks';
import { cutOff, openInspector, openLocks } from '../support/locks.js';
import { ownNode } from '../support/own-node.js';
import { openBehindProxy } from '../support/place.js';
import { waitFor } from '../support/wait-for.js';

/** A client behind a proxy, and a node for this test alone. */
async function open(options: Partial<LocksOptions> = {}) {
  const place = await openBehindProxy(options);
  const path = await ownNode();
  const { inspector } = place;
  const text = async (of: string): Promise<string> => (await inspector.get(of)).data.toString();
  return { ...place, path, zk: place.locks.client, text };
}

it('creates, reads, lists, replaces and deletes znodes', async () => {
  const { zk, path, locks } = await open();
  const child = `${path}/a`;
  expect(await zk.create(child, 'one')).toBe(child);
  const { data, stat } = await zk.get(child);
  expect(data.toString()).toBe('one');
  const { czxid, ctime } = stat;
  expect(stat).toEqual({
    ...{ czxid, mzxid: czxid, pzxid: czxid, ctime, mtime: ctime, ephemeralOwner: '0' },
    ...{ version: 0, aclVersion: 0, childrenVersion: 0, dataLength: 3, numChildren: 0 },
  });
  const next = await zk.set(child, Buffer.from('three'), { version: 0 });
  expect(next).toMatchObject({ czxid, version: 1, dataLength: 5 });
  expect(next.mzxid).toBeGreaterThan(czxid);
  expect(await zk.exists(child)).toEqual(next);
  expect(await zk.list(path)).toEqual(['a']);
  expect(await zk.exists(path)).toMatchObject({ numChildren: 1, childrenVersion: 1 });
  await expect(zk.set(child, 'x', { version: 0 })).rejects.toMatchObject({
    code: 'ZK_BAD_VERSION',
  });
  await expect(zk.delete(child, { version: 0 })).rejects.toMatchObject({ code: 'ZK_BAD_VERSION' });
  await zk.delete(child, { version: 1 });
  expect(await zk.exists(child)).toBeUndefined();
  await expect(zk.get(child)).rejects.toMatchObject({ code: 'ZK_NO_NODE' });
  expect(zk.state).toMatchObject({
    name: 'connected',
    sessionId: locks.session.connectedLease?.sessionId,
  });
});

it('creates znodes with a time to live', async () => {
  const { zk, path } = await open({ client: 'wire' });
  await zk.create(`${path}/long`, 'x', { ttlMs: 3_600_000 });
  const mode = 'persistent-sequential';
  expect(await zk.create(`${path}/t-`, 'x', { ttlMs: 1, mode })).toBe(`${path}/t-0000000001`);
  await waitFor(async () => (await zk.list(path)).length === 1, { what: 'the short one to go' });
  expect(await zk.list(path)).toEqual(['long']);
});

it('reports paths without the chroot, and can read the root', async () => {
  const { proxy, path, open: openMore } = await open();
  const locks = await openMore({ servers: `${proxy.connectString}${path}`, root: '/locks' });
  const zk = locks.client;
  expect(await zk.create('/a-', '', { mode: 'persistent-sequential' })).toBe('/a-0000000000');
  expect(await zk.list('/')).toEqual(['a-0000000000']);
  expect(await zk.exists('/')).toMatchObject({ numChildren: 1 });
});

it('refuses writes among the locks and malformed calls, and reads everywhere', async () => {
  const { zk, root, locks, path } = await open();
  await using lock = await locks.acquire('k');
  expect(lock.isHeld).toBe(true);
  const refused: [() => Promise<unknown>, RegExp][] = [
    [
      () => zk.create(`${root}/k/x`),
      /`path` must be outside of the option `root` and of `<root>-runs`/,
    ],
    [() => zk.set(root, 'x'), /`path` must be outside/],
    [() => zk.delete(`${root}-runs/k`), /`path` must be outside/],
    [() => zk.get('relative'), /`path` must be an absolute path/],
    [() => zk.create(`${path}/x`, 7 as never), /`data` must be a string/],
    [() => zk.create(`${path}/x`, Buffer.alloc(1_000_001)), /`data` must be 1000000 bytes at most/],
    [() => zk.create(`${path}/x`, '', { mode: 'other' as never }), /`mode` must be 'persistent'/],
    [() => zk.create(`${path}/x`, '', { mode: 'ephemeral', ttlMs: 5 }), /`ttlMs` must be omitted/],
    [() => zk.set(path, 'x', { version: -1 }), /`version` must be/],
    [() => zk.get(path, { timeout: 5 } as never), /`timeout` is not an option/],
    [
      () => zk.transaction((tx) => tx.set(path, 'x', { versoin: 3 } as never)),
      /`versoin` is not an option/,
    ],
    [
      () => zk.transaction((tx) => tx.create(`${path}/x`, '', 'container' as never)),
      /`options` must be an object/,
    ],
  ];
  for (const [call, message] of refused) {
    await expect(call()).rejects.toThrow(ZkLockConfigError);
    await expect(call()).rejects.toThrow(message);
  }
  expect(await zk.list(`${root}/k`)).toHaveLength(1);
  expect(await zk.list('/zookeeper')).toContain('config');
  expect(await zk.list(path)).toEqual([]);
});

it('creates znodes for the user of the locks alone', async () => {
  const path = await ownNode();
  const [username, password] = ['orders', 'secret'];
  const locks = await openLocks({ client: 'wire', credentials: { username, password } });
  const zk = locks.client;
  await zk.create(`${path}/a`, 'mine');
  const numbered = await zk.create(`${path}/n-`, 'mine', { mode: 'persistent-sequential' });
  const outsider = await openInspector();
  for (const node of [`${path}/a`, numbered]) {
    await expect(outsider.get(node)).rejects.toMatchObject({ code: -102 });
    expect((await zk.get(node)).data.toString()).toBe('mine');
    await zk.delete(node);
  }
  // An existing node is not changed.
  await outsider.create(`${path}/theirs`, 'theirs');
  const taken = zk.create(`${path}/theirs`, 'mine', { mode: 'ephemeral' });
  await expect(taken).rejects.toMatchObject({ code: 'ZK_NODE_EXISTS' });
  expect((await outsider.get(`${path}/theirs`)).data.toString()).toBe('theirs');
});

it('writes a whole transaction, or nothing', async () => {
  const { zk, path, text } = await open({ client: 'wire' });
  const paths = await zk.transaction((tx) => tx.create(`${path}/a`, '1').set(path, 'x'));
  expect(paths).toEqual([`${path}/a`, path]);
  const done = zk.transaction((tx) => tx.set(path, 'y').delete(`${path}/none`));
  await expect(done).rejects.toMatchObject({ code: 'ZK_NO_NODE', path: `${path}/none`, index: 1 });
  expect(await text(path)).toBe('x');
  expect(await zk.transaction(() => undefined)).toEqual([]);
});

it('says what the native client cannot do', async () => {
  const { zk, path } = await open({ client: 'native' });
  const lacking = [
    zk.create(`${path}/t`, '', { ttlMs: 1_000 }),
    zk.transaction((tx) => tx.set(path, 'x')),
    new Promise((_, reject) => zk.onChange(path, () => undefined, { onEnd: reject })),
  ];
  for (const one of lacking)
    await expect(one).rejects.toThrow(/`client` is native, which does not support /);
  expect(await zk.list(path)).toEqual([]);
});

it('says that there is no connection, and writes nothing then', async () => {
  const { zk, locks, proxy, path } = await open();
  await cutOff(proxy, locks);
  const limit = { timeoutMs: 50 };
  await expect(zk.create(`${path}/a`, '', limit)).rejects.toThrow(ZooKeeperUnavailableError);
  await expect(zk.get(path, { timeoutMs: 0 })).rejects.toThrow(ZooKeeperUnavailableError);
  const created = zk.create(`${path}/b`, '');
  await proxy.accept();
  expect(await created).toBe(`${path}/b`);
  expect(await zk.list(path)).toEqual(['b']);
});

it('is closed with the locks', async () => {
  const { zk, locks, proxy, path } = await open();
  await cutOff(proxy, locks);
  const waiting = expect(zk.get(path)).rejects.toThrow(ZkClosedError);
  await locks.close();
  await waiting;
  await expect(zk.get(path)).rejects.toThrow(ZkClosedError);
  expect(() => zk.onChange(path, () => undefined)).toThrow(ZkClosedError);
});

describe('if the answer is lost', () => {
  /** Loses the next request of a kind. */
  async function losing(
    what: 'create' | 'setData' | 'delete' | 'multi' | 'getData',
    call: (zk: ZkClient, path: string) => Promise<unknown>,
    meanwhile: (path: string) => Promise<unknown> = () => Promise.resolve(),
    options: Partial<LocksOptions> = {},
    lose: 'loseNextReply' | 'loseNextRequest' = 'loseNextReply',
  ) {
    const place = await open(options);
    const { zk, proxy, path, inspector } = place;
    await inspector.create(`${path}/n`, 'old');
    await proxy.refuse();
    const loss = await proxy[lose](what);
    const outcome = call(zk, path).then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    await loss.happened;
    await meanwhile(path);
    await proxy.accept();
    return { ...place, ...((await outcome) as { value?: unknown; error?: unknown }) };
  }

  const replaced = (zk: ZkClient, path: string) => zk.set(`${path}/n`, 'new', { version: 0 });
  const asOther =
    (
      write: (
        inspector: Awaited<ReturnType<typeof openInspector>>,
        node: string,
      ) => Promise<unknown>,
    ) =>
    async (path: string): Promise<void> => {
      await write(await openInspector(), `${path}/n`);
    };

  it('a deletion of a version spares what another client has created since', async () => {
    const { error, path, inspector } = await losing(
      'delete',
      (zk, path) => zk.delete(`${path}/n`, { version: 0 }),
      asOther((inspector, node) => inspector.create(node)),
    );
    expect(error).toMatchObject({ outcome: 'ambiguous' });
    expect(await inspector.childrenIfAny(path)).toEqual(['n']);
  });

  it('a deletion of a version is not claimed if another client may have made it', async () => {
    const { error } = await losing(
      'delete',
      (zk, path) => zk.delete(`${path}/n`, { version: 0 }),
      asOther((inspector, node) => inspector.delete(node)),
      {},
      'loseNextRequest',
    );
    expect(error).toMatchObject({ outcome: 'ambiguous' });
  });

  it.each([
    ['left alone', () => Promise.resolve()],
    ['replaced', asOther((inspector, node) => inspector.set(node, 'later'))],
    [
      'deleted and created anew',
      asOther(async (inspector, node) => {
        await inspector.delete(node);
        await inspector.create(node);
        await inspector.set(node, 'other');
      }),
    ],
    ['deleted', asOther((inspector, node) => inspector.delete(node))],
  ])('data of a version that are %s meanwhile leave it open', async (_, meanwhile) => {
    const { error } = await losing('setData', replaced, meanwhile);
    expect(error).toMatchObject({
      outcome: 'ambiguous',
      message: expect.stringMatching(
        /ZooKeeper set \S+: connection lost .* It may have been executed\. Read it/,
      ) as string,
    });
  });

  it('an ephemeral znode that another client has created meanwhile is not mistaken for its own', async () => {
    const { error } = await losing(
      'create',
      (zk, path) => zk.create(`${path}/e`, 'x', { mode: 'ephemeral' }),
      async (path) => {
        const other = await openInspector();
        await other.delete(`${path}/e`);
        await other.create(`${path}/e`, 'y');
      },
    );
    expect(error).toMatchObject({ code: 'ZK_NODE_EXISTS' });
  });

  it('an ephemeral znode that may not be created any more is reported as ambiguous', async () => {
    const { error, path, inspector } = await losing(
      'create',
      (zk, path) => zk.create(`${path}/e`, 'x', { mode: 'ephemeral' }),
      async (path) => (await openInspector()).restrictTo(path, 'other', 'secret'),
    );
    await inspector.withAuth('digest', 'other:secret');
    await inspector.openToAll(path);
    expect(error).toMatchObject({
      outcome: 'ambiguous',
      message: expect.stringMatching(/It may have been executed\. Check with `exists`/) as string,
    });
    expect(await inspector.childrenIfAny(path)).toContain('e');
  });

  it.each<[string, Parameters<typeof losing>[0], Parameters<typeof losing>[1], RegExp]>([
    ['a persistent znode', 'create', (zk, path) => zk.create(`${path}/p`), /Check with `exists`/],
    [
      'a numbered znode',
      'create',
      (zk, path) => zk.create(`${path}/p`, '', { mode: 'ephemeral-sequential' }),
      /Check with `list`/,
    ],
    ['data of any version', 'setData', (zk, path) => zk.set(`${path}/n`, 'new'), /Read it with/],
  ])('%s is reported as ambiguous', async (_, what, call, remedy) => {
    const { error } = await losing(what, call);
    expect(error).toMatchObject({
      outcome: 'ambiguous',
      message: expect.stringMatching(remedy) as string,
    });
  });

  it('a write that was not answered in time is reported as ambiguous', async () => {
    const { zk, proxy, path } = await open();
    await proxy.freezeTowards('client');
    const written = zk.set(path, 'x', { timeoutMs: 50 });
    await expect(written).rejects.toMatchObject({
      outcome: 'ambiguous',
      code: 'ZK_OPERATION_TIMEOUT',
    });
    await expect(zk.get(path, { timeoutMs: 50 })).rejects.toThrow(ZooKeeperUnavailableError);
    await proxy.thaw();
    expect((await zk.get(path)).data.toString()).toBe('x');
  });
});

it('shares the limit of ephemeral nodes with the locks, and returns its share', async () => {
  const { zk, path, locks } = await open();
  const mode = 'ephemeral';
  const name = 'x'.repeat(3_900);
  const paths = Array.from({ length: 253 }, (_, index) => `${path}/${name}${String(index)}`);
  await Promise.all(paths.map((one) => zk.create(one, '', { mode })));
  const full = { code: 'ZK_TOO_MANY_EPHEMERALS' };
  await expect(zk.create(`${path}/${name}-`, '', { mode })).rejects.toMatchObject(full);
  await zk.delete(paths[0]!);
  await zk.create(`${path}/${name}-`, '', { mode });
  await expect(zk.create(paths[0]!, '', { mode })).rejects.toMatchObject(full);
  await (await locks.acquire('k')).release();
});

it.each(['create', 'acquire'] as const)(
  'ephemeral znodes that another client has deleted do not count towards the limit of %s',
  async (call) => {
    const { zk, path, locks, inspector } = await open();
    const mode = 'ephemeral-sequential';
    const create = (): Promise<string> => zk.create(`${path}/${'x'.repeat(3_900)}`, '', { mode });
    const paths = await Promise.all(Array.from({ length: 252 }, create));
    for (const one of paths) await inspector.delete(one);
    const acquire = (number: number): Promise<unknown> =>
      locks.acquire(`${'k'.repeat(200)}${String(number)}`);
    const calls = { create, acquire };
    for (let number = 0; number < 40; number++) await calls[call](number);
  },
);

it('an ephemeral znode that is created while the one before it is deleted counts', async () => {
  const { zk, path } = await open();
  const create = (node: string): Promise<string> => zk.create(node, '', { mode: 'ephemeral' });
  const name = `${path}/${'x'.repeat(3_900)}`;
  const nodes = Array.from({ length: 252 }, (_, index) => `${name}${String(index)}`);
  await Promise.all(nodes.map(create));
  await Promise.all(nodes.flatMap((node) => [zk.delete(node), create(node)]));
  const more = [1, 2, 3].map((number) => create(`${name}-${String(number)}`));
  await expect(Promise.all(more)).rejects.toMatchObject({ code: 'ZK_TOO_MANY_EPHEMERALS' });
});
