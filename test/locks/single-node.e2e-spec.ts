import { describe, expect, it } from 'vitest';
import { Locks, type LocksOptions } from 'zk-locks';
import { LockDirectoryError, LockLostError } from '../../libs/zk-locks/src/lock/lock-errors.js';
import { ZkLockConfigError } from '../../libs/zk-client/src/zk-lock-error.js';
import { openProxy } from '../support/open-proxy.js';
import {
  cutOff,
  expectRising,
  letNodesBeHidden,
  lossOf,
  refusedWithHolders,
} from '../support/locks.js';
import { makeLasting, openPlace } from '../support/place.js';
import { waitFor } from '../support/wait-for.js';

const SINGLE = { dialect: 'single-node', client: 'wire' } as const;

/** Two sessions, the first of them behind a proxy. `guards` lists the names of the guards. */
async function open(options: Partial<LocksOptions> = {}) {
  const place = await openPlace();
  const proxy = await openProxy();
  const { root, directory, inspector } = place;
  const locks = await place.open({ servers: proxy.connectString, ...SINGLE, ...options });
  const others = await place.open({ ...SINGLE, ...options });
  const node = `${directory}/lock`;
  const guards = (): Promise<string[]> => inspector.childrenIfAny(`${root}/%guards`);
  return { ...place, proxy, locks, others, node, guards };
}

type Opened = Awaited<ReturnType<typeof open>>;

describe('a lock of one node', () => {
  it('is one node that names its holder, with a guard of its own', async () => {
    const { locks, others, queue, guards, inspector, node } = await open();
    const lock = await locks.acquire('k', { label: 'month end' });
    expect(await queue()).toEqual(['lock']);
    const { data, stat } = await inspector.get(node);
    const [guard] = await guards();
    expect(JSON.parse(data.toString())).toMatchObject({ label: 'month end', guard });
    expect(lock.fencingToken).toBe(BigInt(stat.czxid) << 10n);
    expect(await others.tryAcquire('k')).toBeNull();
    expect(await others.list()).toEqual(['k']);
    // Its guard is no waiter whose locks are unknown.
    expect(await others.deadlocks()).toEqual({ deadlocks: [], unknown: 0 });

    await lock.release();
    expect([await queue(), await guards()]).toEqual([[], []]);
    const next = await others.tryAcquire('k');
    expectRising([lock.fencingToken, next!.fencingToken]);
    await next!.release();
  });

  it('needs no requests while a call waits for it, and the timeout names its holder', async () => {
    const opened = await open();
    const { locks, others, proxy, inspector, node } = opened;
    await makeLasting(opened);
    const held = await others.acquire('k');
    const acquire = () => locks.acquire('k', { timeoutMs: 1_000 });
    const waiting = locks.acquire('k', { timeoutMs: 60_000 });
    await waitFor(async () => (await proxy.requests()).getData > 0, { what: 'the watch' });
    await proxy.resetCounters();
    expect((await refusedWithHolders(acquire)).holders).toMatchObject([
      { node: 'lock', holder: { pid: process.pid } },
    ]);
    expect(await proxy.requests()).toMatchObject({ multi: 0, create: 0 });
    await held.release();
    await (await waiting).release();

    await inspector.create(node, 'theirs', 'ephemeral');
    expect((await refusedWithHolders(acquire)).message).toContain('of another library');
    const [holder] = (await locks.inspect('k')).holders;
    expect(holder).toMatchObject({ node: 'lock', mode: 'write', holder: undefined });
    expect(await locks.revoke('k')).toBe(0);
    expect((await inspector.get(node)).data.toString()).toBe('theirs');
    await inspector.delete(node);
  });

  it('can be revoked', async () => {
    const { locks, others } = await open();
    const lock = await locks.acquire('k', { label: 'report' });
    expect(await others.revoke('k')).toBe(1);
    await waitFor(() => lock.revoked.aborted, { what: 'the request' });
    const seen = await others.inspect('k');
    expect(seen.holders).toMatchObject([{ holder: { label: 'report' } }]);
    expect(seen.holders[0]!.holder!.revokedAt).toBeDefined();
    expect(seen).not.toHaveProperty('lastSequence');
    expect(lock.isHeld).toBe(true);
    await lock.release();
  });

  it('works with elections, with several keys, and with jobs that run at most once per period', async () => {
    const { locks, others, queue } = await open();
    const election = locks.election('k');
    await election.whenLeader();
    expect((await others.election('k').inspect()).leader).toMatchObject({ node: 'lock' });
    await others.election('k').close();
    await election.close();
    await using both = await locks.acquireAll(['k', 'l']);
    expect(both.isHeld).toBe(true);
    await both.release();
    expect(await locks.runAtMostEvery('k', 60_000, () => 7)).toEqual({ ran: true, result: 7 });
    expect(await others.runAtMostEvery('k', 60_000, () => 7)).toMatchObject({ ran: false });
    expect(await queue()).toEqual([]);
  });

  it('allows guarded writes while it is held, and none afterwards', async () => {
    const { locks, root, proxy, guards, inspector } = await open();
    const lock = await locks.acquire('k');
    const path = `${root}-data`;
    await lock.transact((tx) => tx.create(path, 'a').delete(path));
    const [guard] = await guards();
    await proxy.freezeTowards('client');
    await inspector.delete(`${root}/%guards/${guard!}`);
    const refused = expect(lock.transact((tx) => tx.create(path))).rejects.toThrow(LockLostError);
    await proxy.thaw();
    await refused;
    await lock.release();
  });
});

it('a lock is released although an outsider has deleted its guard', async () => {
  const { locks, root, guards, inspector, queue } = await open();
  const lock = await locks.acquire('k');
  const [guard] = await guards();
  await inspector.delete(`${root}/%guards/${guard!}`);
  await lock.release();
  expect([await queue(), await guards()]).toEqual([[], []]);
});

it.each([
  [
    'its holder does not hear of that',
    async ({ proxy }: Opened) => proxy.freezeTowards('client'),
    async ({ proxy }: Opened) => proxy.thaw(),
  ],
  [
    'its holder is cut off',
    async ({ proxy, locks }: Opened) => cutOff(proxy, locks),
    async ({ proxy }: Opened) => proxy.accept(),
  ],
])(
  'the node of the next holder stays when a lock is released that an operator has deleted without its guard, while %s',
  async (_, silence, end) => {
    const opened = await open();
    const { locks, others, inspector, node, guards } = opened;
    const lock = await locks.acquire('k');
    await silence(opened);
    const since = performance.now();
    await inspector.delete(node);
    const next = await others.acquire('k');
    // News that are 75 ms old count as fresh.
    await waitFor(() => performance.now() - since > 100, { what: 'the news to be old' });
    const releasing = lock.release();
    await end(opened);
    await releasing;
    await waitFor(async () => (await guards()).length === 1, { what: 'its guard to go' });
    expect(await others.tryAcquire('k')).toBeNull();
    expect(next.isHeld).toBe(true);
    await next.release();
  },
);

it('a lock node that ZooKeeper hides from its holder goes with its guard when it is released', async () => {
  const { locks, proxy, inspector, node, queue, guards } = await open();
  letNodesBeHidden(locks);
  const lock = await locks.acquire('k');
  await inspector.restrictTo(node, 'another', 'user');
  await proxy.cut();
  expect(await lossOf(lock)).toMatchObject({ reason: 'node-unreadable' });
  await lock.release();
  await waitFor(async () => [...(await queue()), ...(await guards())].length === 0, {
    what: 'both nodes to go',
  });
});

describe('what this dialect cannot do is refused', () => {
  it.each<[string, Partial<LocksOptions>, string]>([
    ['cohorts', { cohort: {} }, 'cohort'],
    ['the client native', { client: 'native' }, 'dialect'],
  ])('%s', (_, options, option) => {
    const construct = (): Locks => new Locks({ servers: 'zk:2181', ...SINGLE, ...options });
    expect(construct).toThrow(ZkLockConfigError);
    expect(construct).toThrow(option);
    expect(construct).toThrow('another dialect');
  });

  it('reading, and upgrading', async () => {
    const { locks } = await open();
    const reading = locks.acquire('k', { mode: 'read' });
    await expect(reading).rejects.toThrow("'write' with the dialect 'single-node'");
    await expect(locks.acquireUpgradable('k')).rejects.toThrow(ZkLockConfigError);
  });

  it('the directory of another dialect, where nothing is written', async () => {
    const { locks, open: openMore, queue } = await open();
    const theirs = await openMore();
    await using _lock = await theirs.acquire('k');
    const [node] = await queue();
    for (const call of [() => locks.acquire('k'), () => locks.tryAcquire('k')]) {
      await expect(call()).rejects.toThrow(LockDirectoryError);
    }
    expect(await queue()).toEqual([node]);
  });
});
