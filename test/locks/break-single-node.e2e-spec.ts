import { expect, it } from 'vitest';
import type { Lock } from 'zk-locks';
import { LockNotBrokenError } from '../../libs/zk-locks/src/lock/lock-errors.js';
import { lossOf, type TestLocks, untilWaiting } from '../support/locks.js';
import { openProxy } from '../support/open-proxy.js';
import { openLastingPlace } from '../support/place.js';
import { waitFor } from '../support/wait-for.js';
import { recordEvents } from '../telemetry/support/record-events.js';

const SINGLE = { dialect: 'single-node', client: 'wire', sessionTimeoutMs: 20_000 } as const;

const shown = ({ fencingToken }: Lock) => ({ node: 'lock', token: fencingToken });

/** A holder and an operator, each behind its own proxy, and another contender. */
async function open() {
  const place = await openLastingPlace();
  const { root, directory, inspector } = place;
  const [before, between] = [await openProxy(), await openProxy()];
  const holder = await place.open({ servers: before.connectString, ...SINGLE });
  const operator = await place.open({ servers: between.connectString, ...SINGLE });
  const others = await place.open(SINGLE);
  const guards = (): Promise<string[]> => inspector.childrenIfAny(`${root}/%guards`);
  return {
    ...{ ...place, holder, operator, others, guards, node: `${directory}/lock` },
    ...{ holderProxy: before, operatorProxy: between },
  };
}

/** A call that is waiting for the lock. */
async function nextLock(others: TestLocks): Promise<{ granted: Promise<Lock> }> {
  const granted = others.acquire('k', { reentrant: false });
  await untilWaiting(others);
  return { granted };
}

it('deletes the node of a holder that does not notice, whose release then spares the next holder', async () => {
  const { holder, operator, others, holderProxy, guards, queue } = await open();
  const events = recordEvents();
  const lock = await holder.acquire('k');
  await holderProxy.freezeTowards('client');
  const { granted } = await nextLock(others);
  await operator.breakLock('k', shown(lock));
  expect(events.of('break')).toMatchObject([{ isForced: true }]);
  const next = await granted;
  const releasing = lock.release();
  await holderProxy.thaw();
  await releasing;
  expect([await queue(), (await guards()).length]).toEqual([['lock'], 1]);
  expect(next.isHeld).toBe(true);
  await next.release();
});

it.each(['setData', 'delete'] as const)(
  'spares the next holder when it repeats a %s whose answer was lost',
  async (request) => {
    const { holder, operator, others, holderProxy, operatorProxy, queue } = await open();
    const lock = await holder.acquire('k');
    if (request === 'delete') await holderProxy.freezeTowards('client');
    const { granted } = await nextLock(others);
    await operatorProxy.refuse();
    const loss = await operatorProxy.loseNextReply(request);
    const breaking = operator.breakLock('k', shown(lock));
    await loss.happened;
    const next = await granted;
    await operatorProxy.accept();
    await breaking;
    await holderProxy.thaw();
    await lock.release();
    expect(await queue()).toEqual(['lock']);
    expect([next.isHeld, next.signal.aborted]).toEqual([true, false]);
    await next.release();
  },
);

it('deletes a node without a guard only when asked twice, whether another program’s or one whose guard is gone', async () => {
  const { root, holder, operator, guards, inspector, node, queue } = await open();
  const lock = await holder.acquire('k');
  const [guard] = await guards();
  await inspector.delete(`${root}/%guards/${guard!}`);
  const refused = operator.breakLock('k', shown(lock));
  await expect(refused).rejects.toThrow(/^The lock "k" was not broken: lock has lost its guard/);
  expect(lock.isHeld).toBe(true);
  await operator.breakLock('k', { ...shown(lock), foreign: true });
  expect(await lossOf(lock)).toMatchObject({ reason: 'node-deleted' });
  await lock.release();

  await waitFor(async () => (await queue()).length === 0, { what: 'the lock to be free' });
  await inspector.create(node, 'theirs', 'ephemeral');
  const [theirs] = (await operator.inspect('k')).holders;
  const named = { node: 'lock', token: theirs!.fencingToken };
  await expect(operator.breakLock('k', named)).rejects.toThrow(/pass `foreign: true`/);
  await expect(operator.breakLock('k', shown(lock))).rejects.toThrow(LockNotBrokenError);
  expect(await queue()).toEqual(['lock']);
  expect(await operator.breakLock('k', { ...named, foreign: true })).toMatchObject({
    node: 'lock',
    holder: undefined,
  });
  expect(await queue()).toEqual([]);
});
