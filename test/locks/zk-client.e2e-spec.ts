import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  type LocksOptions,
  LockServiceClosedError,
  type ZkClient,
  ZkLockConfigError,
  type ZnodeEvent,
  type ZnodeMode,
  ZooKeeperUnavailableError,
} from 'zk-locks';
import { clientFromEnvironment } from '../../libs/zk-locks/src/client/client-name.js';
import { cutOff, openInspector, reconnect } from '../support/locks.js';
import { ownNode } from '../support/own-node.js';
import { openBehindProxy } from '../support/place.js';
import { waitFor } from '../support/wait-for.js';

const isNative = clientFromEnvironment() === 'native';

/** A client behind a proxy, and a node that is the test's own. */
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
  await expect(zk.set(child, 'x', { version: 0 })).rejects.toMatchObject({ code: 'ZK_BAD_VERSION' });
  await expect(zk.delete(child, { version: 0 })).rejects.toMatchObject({ code: 'ZK_BAD_VERSION' });
  await zk.delete(child, { version: 1 });
  expect(await zk.exists(child)).toBeUndefined();
  await expect(zk.get(child)).rejects.toMatchObject({ code: 'ZK_NO_NODE' });
  expect(zk.state).toMatchObject({ name: 'connected', sessionId: locks.session.connectedLease?.sessionId });
});

it.each<[ZnodeMode, ephemeral: boolean, numbered: boolean]>([
  ['persistent', false, false],
  ['persistent-sequential', false, true],
  ['container', false, false],
  ['ephemeral', true, false],
  ['ephemeral-sequential', true, true],
])('creates a znode that is %s', async (mode, isEphemeral, isNumbered) => {
  const { zk, path, locks, text } = await open();
  const created = await zk.create(`${path}/n`, 'data', { mode });
  expect(created).toBe(`${path}/n${isNumbered ? '0000000000' : ''}`);
  expect(await text(created)).toBe('data');
  await zk.create(`${path}/after`);
  await locks.close();
  const left = await (await openInspector()).childrenIfAny(path);
  expect(left.includes(created.slice(path.length + 1))).toBe(!isEphemeral);
});

it.runIf(!isNative)('creates znodes with a time to live', async () => {
  const { zk, path } = await open();
  await zk.create(`${path}/long`, 'x', { ttlMs: 3_600_000 });
  const mode = 'persistent-sequential';
  expect(await zk.create(`${path}/t-`, 'x', { ttlMs: 1, mode })).toBe(`${path}/t-0000000001`);
  await waitFor(async () => (await zk.list(path)).length === 1, { what: 'the short one to go' });
  expect(await zk.list(path)).toEqual(['long']);
});

it('tells paths without the chroot, and reads its root', async () => {
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
    [() => zk.create(`${root}/k/x`), /`path` must be outside of the `root` option/],
    [() => zk.set(root, 'x'), /`path` must be outside/],
    [() => zk.delete(`${root}-runs/k`), /`path` must be outside/],
    [() => zk.get('relative'), /`anyPath`|`path`/],
    [() => zk.create(`${path}/x`, 7 as never), /`data` must be a text/],
    [() => zk.create(`${path}/x`, Buffer.alloc(1_000_001)), /`data` must be 1000000 bytes at most/],
    [() => zk.create(`${path}/x`, '', { mode: 'other' as never }), /`mode` must be 'persistent'/],
    [() => zk.create(`${path}/x`, '', { mode: 'ephemeral', ttlMs: 5 }), /`ttlMs` must be left out/],
    [() => zk.set(path, 'x', { version: -1 }), /`version` must be/],
    [() => zk.get(path, { timeout: 5 } as never), /`timeout` is no option/],
  ];
  for (const [call, message] of refused) {
    await expect(call()).rejects.toThrow(ZkLockConfigError);
    await expect(call()).rejects.toThrow(message);
  }
  expect(await zk.list(`${root}/k`)).toHaveLength(1);
  expect(await zk.list('/zookeeper')).toContain('config');
  expect(await zk.list(path)).toEqual([]);
});

it.runIf(!isNative)('writes all of a transaction, or nothing', async () => {
  const { zk, path, text } = await open();
  const paths = await zk.transaction((tx) => tx.create(`${path}/a`, '1').set(path, 'x'));
  expect(paths).toEqual([`${path}/a`, path]);
  const done = zk.transaction((tx) => tx.set(path, 'y').delete(`${path}/none`));
  await expect(done).rejects.toMatchObject({ code: 'ZK_NO_NODE', path: `${path}/none`, index: 1 });
  expect(await text(path)).toBe('x');
  expect(await zk.transaction(() => undefined)).toEqual([]);
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
  const waiting = expect(zk.get(path)).rejects.toThrow(LockServiceClosedError);
  await locks.close();
  await waiting;
  await expect(zk.get(path)).rejects.toThrow(LockServiceClosedError);
  if (!isNative) expect(() => zk.onChange(path, () => undefined)).toThrow(LockServiceClosedError);
});

describe('where the answer is lost', () => {
  /** Of the next request of a kind. */
  async function losing(
    what: 'create' | 'setData' | 'delete' | 'multi' | 'getData',
    call: (zk: ZkClient, path: string) => Promise<unknown>,
    meanwhile: (path: string) => Promise<unknown> = () => Promise.resolve(),
  ) {
    const place = await open();
    const { zk, proxy, path, inspector } = place;
    await inspector.create(`${path}/n`, 'old');
    await proxy.refuse();
    const loss = await proxy.loseNextReply(what);
    const outcome = call(zk, path).then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    await loss.happened;
    await meanwhile(path);
    await proxy.accept();
    return { ...place, ...(await outcome as { value?: unknown; error?: unknown }) };
  }

  it('a read is asked again', async () => {
    const { value } = await losing('getData', (zk, path) => zk.get(`${path}/n`));
    expect(value).toMatchObject({ data: Buffer.from('old') });
  });

  it('a deletion is certain', async () => {
    const { error, path, inspector } = await losing('delete', (zk, path) => zk.delete(`${path}/n`));
    expect(error).toBeUndefined();
    expect(await inspector.childrenIfAny(path)).toEqual([]);
  });

  const replaced = (zk: ZkClient, path: string) => zk.set(`${path}/n`, 'new', { version: 0 });
  const asOther = (write: (inspector: Awaited<ReturnType<typeof openInspector>>, node: string) => Promise<unknown>) =>
    async (path: string): Promise<void> => {
      await write(await openInspector(), `${path}/n`);
    };

  it('data of a version are found', async () => {
    const { value, inspector, path } = await losing('setData', replaced);
    expect(value).toMatchObject({ version: 1, dataLength: 3 });
    expect((await inspector.exists(`${path}/n`))?.version).toBe(1);
  });

  it.each([
    ['replaced', asOther((inspector, node) => inspector.set(node, 'later'))],
    ['deleted', asOther((inspector, node) => inspector.delete(node))],
  ])('data of a version that were %s meanwhile leave it open', async (_, meanwhile) => {
    const { error } = await losing('setData', replaced, meanwhile);
    expect(error).toMatchObject({
      outcome: 'ambiguous',
      message: expect.stringMatching(/ZooKeeper set \S+: connection lost .* It may have been executed\. Read it/) as string,
    });
  });

  it('an ephemeral znode is known by its owner', async () => {
    const { value, path, zk } = await losing('create', (client, own) =>
      client.create(`${own}/e`, 'x', { mode: 'ephemeral' }),
    );
    expect(value).toBe(`${path}/e`);
    await expect(zk.create(`${path}/e`, 'x', { mode: 'ephemeral' })).rejects.toMatchObject({ code: 'ZK_NODE_EXISTS' });
  });

  it('an ephemeral znode that another one has created meanwhile is not taken for it', async () => {
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

  it.each<[string, Parameters<typeof losing>[0], Parameters<typeof losing>[1], RegExp]>([
    ['a persistent znode', 'create', (zk, path) => zk.create(`${path}/p`), /Look with `exists`/],
    [
      'a numbered znode',
      'create',
      (zk, path) => zk.create(`${path}/p`, '', { mode: 'ephemeral-sequential' }),
      /Look with `list`/,
    ],
    ['data of any version', 'setData', (zk, path) => zk.set(`${path}/n`, 'new'), /`version`/],
  ])('%s is said to be open', async (_, what, call, remedy) => {
    const { error } = await losing(what, call);
    expect(error).toMatchObject({ outcome: 'ambiguous', message: expect.stringMatching(remedy) as string });
  });

  it.runIf(!isNative)('a transaction is said to be open', async () => {
    const { error } = await losing('multi', (zk, path) =>
      zk.transaction((tx) => tx.set(`${path}/n`, 'new')),
    );
    expect(error).toMatchObject({ outcome: 'ambiguous', message: expect.stringMatching(/Read what/) as string });
  });

  it('a write that was not answered in time is said to be open', async () => {
    const { zk, proxy, path } = await open();
    await proxy.freezeTowards('client');
    const written = zk.set(path, 'x', { timeoutMs: 50 });
    await expect(written).rejects.toMatchObject({ outcome: 'ambiguous', code: 'ZK_OPERATION_TIMEOUT' });
    await expect(zk.get(path, { timeoutMs: 50 })).rejects.toThrow(ZooKeeperUnavailableError);
    await proxy.thaw();
    expect((await zk.get(path)).data.toString()).toBe('x');
  });
});

it('shares the limit of ephemeral nodes with the locks, and gives its part back', async () => {
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

describe.runIf(!isNative)('a watch', () => {
  function collect(zk: ZkClient, path: string, recursive = false) {
    const events: string[] = [];
    const ended: (Error | undefined)[] = [];
    const name = (of: string): string => of.slice(path.length) || '.';
    const onEvent = ({ type, path: where }: ZnodeEvent): void => {
      events.push(`${type} ${name(where)}`);
    };
    const stop = zk.onChange(path, onEvent, { recursive, onEnd: (error) => ended.push(error) });
    const come = async (...expected: string[]): Promise<void> => {
      await waitFor(() => events.length >= expected.length, {
        what: `${expected.join(', ')}; there are ${events.join(', ')}`,
      });
      expect(events.splice(0)).toEqual(expected);
    };
    return { events, ended, stop, come };
  }

  async function live(zk: ZkClient, path: string): Promise<void> {
    await zk.create(path);
    await zk.set(path, 'x');
    await zk.create(`${path}/c`);
    await zk.set(`${path}/c`, 'x');
    await zk.create(`${path}/c/d`);
    await zk.delete(`${path}/c/d`);
    await zk.delete(`${path}/c`);
    await zk.delete(path);
  }
  const plain = ['created .', 'changed .', 'children .', 'children .', 'deleted .'];
  const deep = [
    ...['created .', 'changed .', 'created /c', 'changed /c', 'created /c/d'],
    ...['deleted /c/d', 'deleted /c', 'deleted .'],
  ];

  it('tells all that becomes of a znode, for ever', async () => {
    const { zk, others, path } = await open();
    const node = `${path}/n`;
    const watch = collect(zk, node);
    await watch.come('gap .');
    for (let round = 0; round < 2; round++) {
      await live(others.client, node);
      await watch.come(...plain);
    }
  });

  it('tells of all below it where it is recursive, beside one that is not', async () => {
    const { zk, others, path } = await open();
    const node = `${path}/n`;
    const flat = collect(zk, node);
    await flat.come('gap .');
    const all = collect(zk, node, true);
    await all.come('gap .');
    await flat.come('gap .');
    await live(others.client, node);
    await all.come(...deep);
    await flat.come(...plain);
    all.stop();
    await flat.come('gap .');
    await live(others.client, node);
    await flat.come(...plain);
    expect(all.events).toEqual([]);
  });

  it('goes on over connections and sessions, and says where it may have missed something', async () => {
    const { zk, others, path, locks, proxy } = await open({ sessionTimeoutMs: 2_000, tickTimeMs: 500 });
    const watch = collect(zk, path);
    await watch.come('gap .');
    await reconnect(proxy, locks);
    await watch.come('gap .');
    await others.client.set(path, 'x');
    await watch.come('changed .');
    const lease = locks.session.connectedLease!;
    locks.session.giveUp(lease);
    await watch.come('gap .');
    expect(locks.session.connectedLease).not.toBe(lease);
    await others.client.set(path, 'y');
    await watch.come('changed .');
  });

  it('is removed from the server with its last subscriber', async () => {
    const { zk, others, path, proxy } = await open();
    const [one, two] = [collect(zk, path), collect(zk, path)];
    await one.come('gap .');
    await two.come('gap .');
    one.stop();
    one.stop();
    await others.client.set(path, 'x');
    await two.come('changed .');
    two.stop();
    await zk.get(path);
    await proxy.resetCounters();
    await others.client.set(path, 'y');
    await zk.get(path);
    expect(await proxy.notifications()).toBe(0);
    expect([...one.events, ...two.events]).toEqual([]);
  });

  it('ends with the locks', async () => {
    const { zk, path, locks } = await open();
    const watch = collect(zk, path);
    await watch.come('gap .');
    await locks.close();
    expect(watch.ended).toEqual([undefined]);
  });

  describe('of what locks watch as well', () => {
    /** Somebody waits for a lock, whose node is watched. */
    async function contended(recursive = false) {
      const place = await open();
      const { locks, others, zk, queue, queued, directory } = place;
      const holder = await others.acquire('k');
      const [first = ''] = await queue();
      const node = `${directory}/${first}`;
      const before = collect(zk, node, recursive);
      await before.come('gap .');
      const waiter = locks.acquire('k');
      await queued(2);
      return { ...place, holder, node, before, waiter };
    }

    it.each([false, true])('goes on behind theirs; recursive: %s', async (recursive) => {
      const { before, others, node, waiter, holder } = await contended(recursive);
      await before.come('gap .');
      const write = (): Promise<number> => others.revoke('k');
      for (let round = 0; round < 3; round++) {
        expect(await write()).toBe(1);
        await waitFor(() => before.events.includes('changed .'), { what: 'the change' });
        await waitFor(() => before.events.includes('gap .'), { what: `the gap at ${node}` });
        before.events.length = 0;
      }
      await holder.release();
      await (await waiter).release();
      await waitFor(() => before.events.includes('deleted .'), { what: 'the deletion' });
    });

    it('leaves theirs alone when it is stopped', async () => {
      const { before, holder, waiter } = await contended();
      await before.come('gap .');
      before.stop();
      await nextTurn();
      await holder.release();
      await (await waiter).release();
    });
  });
});
