import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Contender, Lock } from 'zk-locks';
import { LockNotBrokenError } from '../../libs/zk-locks/src/lock/lock-errors.js';
import { openInspector, type TestLocks } from '../support/locks.js';
import { openTwo } from '../support/place.js';
import { seed } from '../hostile/support/seed.js';

/*
 * Clients that may write below the root can write anything there: copies of tokens, other
 * processes' names, nodes with any number. An operator must break the contender that was shown, or
 * none.
 */

const named = ({ node, fencingToken: token }: Contender) => ({ node, token });

/** The name of a lock node with any number. */
const nameOf = (mode: 'READ' | 'WRIT', number: number): string =>
  `_c_${randomUUID()}-__${mode}__${String(number).padStart(10, '0')}`;

/** The data of a process that has crashed or never existed, with a copied token. */
const forged = (token?: bigint): string =>
  JSON.stringify({
    ...{ host: 'web-1', pid: 42, since: '2026-01-01T00:00:00.000Z' },
    ...(token !== undefined && { token: String(token) }),
  });

async function shown(locks: TestLocks, node: string): Promise<Contender> {
  const { holders, waiters } = await locks.inspect('k');
  const found = [...holders, ...waiters].find((contender) => contender.node === node);
  if (!found) throw new Error(`${node} is not shown`);
  return found;
}

/** A rightful holder and a stranger, each with its own session. */
async function open() {
  const place = await openTwo();
  const lock = await place.locks.acquire('k');
  const [holder] = (await place.others.inspect('k')).holders;
  const stranger = await openInspector();
  return { ...place, operator: place.others, lock, holder: holder!, stranger };
}

/** Derives a token from a node's creation, which no client can forge. */
const tokenOf = (czxid: number): bigint => BigInt(czxid) << 10n;

it('takes nothing from the rightful holder when a node with a copy of its token is broken', async () => {
  const { operator, lock, stranger, directory, queue } = await open();
  const leftover = nameOf('WRIT', 7);
  await stranger.create(`${directory}/${leftover}`, forged(lock.fencingToken));
  const seen = await shown(operator, leftover);
  const refused = operator.breakLock('k', named(seen));
  await expect(refused).rejects.toThrow(LockNotBrokenError);
  const { czxid } = (await stranger.get(`${directory}/${leftover}`)).stat;
  await expect(refused).rejects.toThrow(
    new RegExp(`${leftover} has this token in its data.+pass the token ${tokenOf(czxid)}`),
  );
  expect(lock.isHeld).toBe(true);

  const broken = await operator.breakLock('k', { node: leftover, token: tokenOf(czxid) });
  expect(broken.node).toBe(leftover);
  expect(await queue()).not.toContain(leftover);
  expect(lock.isHeld).toBe(true);
  await lock.release();
});

it('breaks the rightful holder, although other nodes have copies of its token', async () => {
  const { operator, lock, holder, stranger, directory, queue } = await open();
  const copies = [nameOf('WRIT', 7), nameOf('READ', 0)];
  for (const name of copies) {
    await stranger.create(`${directory}/${name}`, forged(lock.fencingToken), 'ephemeral');
  }
  expect(await operator.breakLock('k', named(holder))).toMatchObject({ node: holder.node });
  expect(lock.signal.reason).toMatchObject({ reason: 'broken' });
  // A twin of the holder's node also stays if it belongs to another session.
  expect((await queue()).toSorted()).toEqual(copies.toSorted());
  await lock.release();
  for (const name of copies) await stranger.delete(`${directory}/${name}`);
});

it('breaks a contender even if the operator may not read other nodes of the queue', async () => {
  const { operator, lock, holder, stranger, directory, queue } = await open();
  const hidden = [nameOf('READ', 0), nameOf('WRIT', 7)];
  for (const name of hidden) {
    await stranger.create(`${directory}/${name}`, forged(lock.fencingToken));
    await stranger.restrictTo(`${directory}/${name}`, 'mallory', 'secret');
  }
  await expect(operator.breakLock('k', { ...named(holder), token: 1n })).rejects.toThrow(
    LockNotBrokenError,
  );
  expect(await operator.breakLock('k', named(holder))).toMatchObject({ node: holder.node });
  expect(lock.signal.reason).toMatchObject({ reason: 'broken' });
  await lock.release();
  expect((await queue()).toSorted()).toEqual(hidden.toSorted());
  for (const name of hidden) await stranger.delete(`${directory}/${name}`);
});

/** After a downgrade, the reader has the writer's place, with the writer's token in its data. */
async function downgrade(locks: TestLocks): Promise<Lock> {
  let reader!: Lock;
  await locks.withLock('k', async () => {
    reader = await locks.acquire('k', { mode: 'read' });
  });
  return reader;
}

it('breaks none of several nodes that stand for one token, until one is identified by its creation', async () => {
  const { locks, operator, lock, stranger, directory, queue } = await open();
  await lock.release();
  const reader = await downgrade(locks);
  const [holder] = (await operator.inspect('k')).holders;
  const copy = nameOf('READ', 7);
  await stranger.create(`${directory}/${copy}`, forged(reader.fencingToken));
  for (const node of [holder!.node, copy]) {
    const both = operator.breakLock('k', { node, token: reader.fencingToken });
    await expect(both).rejects.toThrow(
      /has this token in its data, and so has .+ of another session/,
    );
  }
  expect(reader.isHeld).toBe(true);
  const { czxid } = (await stranger.get(`${directory}/${holder!.node}`)).stat;
  await operator.breakLock('k', { node: holder!.node, token: tokenOf(czxid) });
  expect(reader.isHeld).toBe(false);
  expect(await queue()).toEqual([copy]);
  await reader.release();
  await stranger.delete(`${directory}/${copy}`);
});

/** A stranger's node, with the token of a rightful contender, another token, or none. */
const anyForgery = fc.record({
  mode: fc.constantFrom('READ' as const, 'WRIT' as const),
  number: fc.oneof(fc.nat(3), fc.nat(2_000_000)),
  kind: fc.constantFrom('persistent' as const, 'ephemeral' as const),
  of: fc.nat(2),
  grant: fc.constantFrom(0n, 1n, 1_023n),
  says: fc.constantFrom('copy' as const, 'other' as const, 'nothing' as const),
});

it('takes nothing from rightful contenders, whatever nodes of strangers an operator breaks', async () => {
  const { locks, operator, lock, holder, stranger, directory, queue, queued } = await open();
  const waiting = [operator, locks].map((one) => one.acquire('k', { reentrant: false }));
  await queued(3);
  const { waiters } = await operator.inspect('k');
  const rightful = [holder, ...waiters];
  const forgeries = fc.sample(anyForgery, { seed, numRuns: 40 });
  const made = await Promise.all(
    forgeries.map(async ({ mode, number, kind, of, grant, says }) => {
      const node = nameOf(mode, number);
      const copied = says === 'copy' ? rightful[of]!.fencingToken : 7_168n;
      const data = says === 'nothing' ? 'left behind' : forged(copied + grant);
      const path = await stranger.create(`${directory}/${node}`, data, kind);
      return { node, tokens: [copied + grant, tokenOf((await stranger.get(path)).stat.czxid)] };
    }),
  );
  for (const by of [0, 1]) {
    await Promise.allSettled(
      made.map(({ node, tokens }) =>
        operator.breakLock('k', { node, token: tokens[by]!, foreign: true }),
      ),
    );
    expect(lock.isHeld).toBe(true);
    expect(await queue()).toEqual(expect.arrayContaining(rightful.map(({ node }) => node)));
  }
  // All of them were broken, as identified by the tokens of their creations.
  expect((await queue()).toSorted()).toEqual(rightful.map(({ node }) => node).toSorted());
  await lock.release();
  // The order of the two waiters is not known.
  await Promise.all(waiting.map(async (each) => (await each).release()));
});
