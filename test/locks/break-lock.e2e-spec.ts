import { expect, it, onTestFinished, vi } from 'vitest';
import { Locks } from 'zk-locks';
import { LockLostError, LockNotBrokenError } from '../../libs/zk-locks/src/lock/lock-errors.js';
import type { Lock } from '../../libs/zk-locks/src/lock/lock.js';
import { lossOf } from '../support/locks.js';
import { openBehindProxy, openTwo } from '../support/place.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';
import { recordEvents } from '../telemetry/support/record-events.js';

/** The arguments that break this lock: the node that others see, and the holder's token. */
async function shown(locks: Locks, { fencingToken }: Pick<Lock, 'fencingToken'>) {
  const { holders, waiters } = await locks.inspect('k');
  const found = [...holders, ...waiters].find(
    (contender) => contender.fencingToken >> 10n === fencingToken >> 10n,
  );
  if (!found) throw new Error(`no contender has the token ${fencingToken}`);
  return { node: found.node, token: fencingToken };
}

it('takes the lock from its holder, who is told first and releases it at once', async () => {
  const { root, locks, others, queue } = await openTwo({ application: 'billing' });
  const logger = new RecordingLogger();
  const servers = sharedServer().connectString;
  const operator = new Locks({ servers, root, application: 'ops' }, logger, 'console');
  onTestFinished(() => operator.close());
  await operator.start();
  const events = recordEvents();
  const lock = await locks.acquire('k', { label: 'invoice 7' });
  const waiting = others.acquire('k');
  const wasToldFirst = waiting.then(() => lock.signal.aborted);
  const broken = await operator.breakLock('k', await shown(operator, lock));
  expect(broken).toMatchObject({ mode: 'write', ...{ fencingToken: lock.fencingToken } });
  expect(await wasToldFirst).toBe(true);
  const by = { application: 'ops', pid: process.pid };
  const loss = await lossOf(lock);
  expect(loss).toBeInstanceOf(LockLostError);
  expect(loss).toMatchObject({ reason: 'broken', brokenBy: by });
  expect(String(loss)).toMatch(/it was taken away with `breakLock` by ops on .+ \(pid \d+\)/);
  expect(() => lock.assertHeld()).toThrow(/by ops on/);
  expect(events.of('break')).toMatchObject([
    {
      ...{ connection: 'console', key: 'k', mode: 'write', fencingToken: lock.fencingToken },
      node: broken.node,
      ...{ holder: { application: 'billing', label: 'invoice 7' }, brokenBy: by, isForced: false },
    },
  ]);
  expect(logger.of('warn')).toEqual([
    expect.stringMatching(
      /Broke the write lock "k" of node _c_.+-__WRIT__\d{10} with fencing token \d+\. billing on .+ "invoice 7" asked for it .+ ago\. Its process gave it up\.$/,
    ),
  ]);
  await (await waiting).release();
  await lock.release();
  expect(await queue()).toEqual([]);
});

it('refuses a node or a token that no contender has, says who holds the lock, and deletes nothing', async () => {
  const { locks, others, queue } = await openTwo({ application: 'billing' });
  const old = await locks.acquire('k');
  const gone = await shown(others, old);
  await old.release();
  await expect(others.breakLock('k', gone)).rejects.toThrow(
    `The lock "k" was not broken: there is no node ${gone.node} now. No process holds it now.`,
  );
  const lock = await locks.acquire('k');
  const before = await queue();
  const present = await shown(others, lock);
  for (const [named, problem] of [
    [gone, `there is no node ${gone.node} now`],
    [{ ...gone, token: present.token }, `there is no node ${gone.node} now`],
    [
      { ...present, token: gone.token },
      `the token of node ${present.node} is ${present.token}, not ${gone.token}`,
    ],
  ] as const) {
    const refused = others.breakLock('k', named);
    await expect(refused).rejects.toThrow(`was not broken: ${problem}. Held by billing on `);
    await expect(refused).rejects.toMatchObject({
      ...{ code: LockNotBrokenError.code, key: 'k', ...named },
      holders: [{ node: before[0], holder: { application: 'billing' } }],
    });
  }
  expect(await queue()).toEqual(before);
  expect(lock.isHeld).toBe(true);
  await lock.release();
});

it.each([
  ['no node', { token: 7n }, '`node` must be the name of a znode; got undefined. Pass `node` of'],
  ['an empty node', { node: '', token: 7n }, '`node` must be the name of a znode'],
  ['no token', { node: 'n' }, '`token` must be a fencing token, a bigint'],
  ['a number', { node: 'n', token: 7 }, '`token` must be a fencing token, a bigint'],
  ['another option', { node: 'n', token: 7n, force: true }, '`force` is not an option'],
])('refuses %s before it sends any request', async (_, options, message) => {
  const { locks, proxy } = await openBehindProxy();
  await proxy.resetCounters();
  await expect(locks.breakLock('k', options as never)).rejects.toThrow(message);
  expect(await proxy.requests()).toMatchObject({ getChildren: 0, delete: 0 });
});

it('finds a downgraded writer, which has a different node, by the token of the writer', async () => {
  const { locks, others, queue, queued } = await openTwo();
  let reader!: Lock;
  let writer!: Lock;
  await locks.withLock('k', async (lock) => {
    writer = lock;
    reader = await locks.acquire('k', { mode: 'read' });
  });
  await waitFor(async () => (await queue()).join().includes('READ'), { what: 'the reader’s node' });
  await queued(1);
  expect(reader.fencingToken).toBe(writer.fencingToken);
  const { holders } = await others.inspect('k');
  expect(holders).toMatchObject([{ mode: 'read', fencingToken: writer.fencingToken }]);
  await others.breakLock('k', await shown(others, writer));
  expect(await lossOf(reader)).toMatchObject({ reason: 'broken' });
  await queued(0);
  await reader.release();
});

it.each([
  ['a cohort', 'the present', { cohort: { maxTenureMs: 60_000 } }],
  ['a cohort', 'an earlier', { cohort: { maxTenureMs: 60_000 } }],
  ['a kept lock', 'an earlier', { cohort: { maxTenureMs: 60_000, keepMs: 60_000 } }],
])(
  'takes the node of %s from the call that has it now by the token of %s call',
  async (_, call, options) => {
    const { locks, others } = await openTwo(options);
    const first = await locks.acquire('k');
    const waiting = locks.acquire('k', { reentrant: false });
    await first.release();
    const second = await waiting;
    expect(second.fencingToken).toBe(first.fencingToken + 1n);
    // Other processes cannot see which call has the lock now, so they may name one that is over.
    const named = {
      ...(await shown(others, second)),
      token: call === 'an earlier' ? first.fencingToken : second.fencingToken,
    };
    const broken = await others.breakLock('k', named);
    expect(broken.holder).toMatchObject({ cohort: true });
    expect(await lossOf(second)).toMatchObject({
      reason: 'broken',
      brokenBy: { pid: process.pid },
    });
    await using next = await others.acquire('k');
    await second.release();
    expect(next.isHeld).toBe(true);
  },
);

it('deletes a node of another library only if `foreign` is set', async () => {
  const { locks, inspector, root, directory, queue } = await openTwo();
  await inspector.create(root);
  await inspector.create(directory);
  const name = '_c_11111111-2222-3333-4444-555555555555-__WRIT__0000000000';
  await inspector.create(`${directory}/${name}`, '192.168.7.1');
  const [holder] = (await locks.inspect('k')).holders;
  const named = { node: name, token: holder!.fencingToken };
  await expect(locks.breakLock('k', named)).rejects.toThrow(
    /has no holder data of this library.*pass `foreign: true`/,
  );
  expect(await queue()).toEqual([name]);
  expect(await locks.breakLock('k', { ...named, foreign: true })).toMatchObject({ node: name });
  expect(await queue()).toEqual([]);
});

it.each(['setData', 'getData', 'getChildren', 'sync'] as const)(
  'continues after a lost answer to %s, and takes nothing from the next contender',
  async (request) => {
    const { locks, others, proxy, queued } = await openBehindProxy({ sessionTimeoutMs: 20_000 });
    const events = recordEvents();
    const lock = await others.acquire('k');
    const waiting = others.acquire('k', { reentrant: false });
    await queued(2);
    const named = await shown(locks, lock);
    const loss = await proxy.loseNextReply(request);
    const broken = await locks.breakLock('k', named);
    await loss.happened;
    expect(broken.fencingToken).toBe(lock.fencingToken);
    expect(events.of('break')).toHaveLength(1);
    await using next = await waiting;
    await expect(locks.breakLock('k', named)).rejects.toThrow(LockNotBrokenError);
    expect(next.isHeld).toBe(true);
    await lock.release();
  },
);

it('spares the next lock of the same process, even if its node has the number of the broken one', async () => {
  const { directory, inspector, locks, others } = await openTwo();
  const lock = await locks.acquire('k');
  const named = await shown(others, lock);
  let next: Lock | undefined;
  const sync = others.session.sync.bind(others.session);
  vi.spyOn(others.session, 'sync').mockImplementation(async (...request) => {
    if (lock.signal.aborted && !next) {
      // ZooKeeper does the same with an empty container. Sequence numbers then start again.
      await inspector.delete(directory);
      next = await locks.acquire('k');
    }
    return sync(...request);
  });
  await others.breakLock('k', named);
  const { holders } = await others.inspect('k');
  const numbers = [named.node, holders[0]!.node].map((node) => node.slice(-10));
  expect(new Set(numbers).size).toBe(1);
  expect(next).toMatchObject({ isHeld: true, signal: { aborted: false } });
  await next!.release();
});
