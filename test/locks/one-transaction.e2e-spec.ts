import { expect, it, onTestFinished, vi } from 'vitest';
import { Locks } from 'zk-locks';
import type { Lock } from '../../libs/zk-locks/src/lock.js';
import { makeLasting, openBehindProxy, openTwo, type SharedPlace } from '../support/place.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';
import { silentLogger } from '../../libs/zk-client/src/logger.js';

/** More than a server executes within a round trip, so that they leave as one transaction. */
const COUNT = 200;
const ALL = { limit: 1_000 };
/** npm zookeeper creates each node by itself. */
const WIRE = { client: 'wire' } as const;
const czxidOf = (token: bigint): bigint => token >> 10n;
const many = <T>(one: (index: number) => T): T[] => Array.from({ length: COUNT }, (_, i) => one(i));
const rising = (tokens: readonly bigint[]): boolean =>
  tokens.every((token, index) => index === 0 || token > tokens[index - 1]!);

/** A key that was used before, whose directory stays. */
async function used<P extends SharedPlace>(opening: Promise<P>): Promise<P> {
  const place = await opening;
  await makeLasting(place);
  for (let cycle = 0; cycle < 10; cycle++) await place.locks.withLock('k', () => undefined);
  return place;
}

const made = (): Promise<SharedPlace> => used(openTwo(WIRE));

it('gives calls whose nodes one transaction creates tokens that rise, and that other processes see', async () => {
  const { locks, others } = await made();
  const readers = await Promise.all(many(() => locks.acquire('k', { mode: 'read' })));
  const tokens = readers.map(({ fencingToken }) => fencingToken);
  expect(new Set(tokens.map(czxidOf)).size).toBe(1);
  expect(rising(tokens)).toBe(true);
  const { holders } = await others.inspect('k', ALL);
  expect(holders.map(({ fencingToken }) => fencingToken)).toEqual(tokens);
  // Those that came first are gone: the tokens of the others stay as they are.
  await Promise.all(readers.slice(0, 5).map((lock) => lock.release()));
  const rest = await others.inspect('k', ALL);
  expect(rest.holders.map(({ fencingToken }) => fencingToken)).toEqual(tokens.slice(5));
  await Promise.all(readers.map((lock) => lock.release()));
});

it('breaks the lock with a token, and none that the same transaction made', async () => {
  const { locks, others } = await made();
  const readers = await Promise.all(many(() => locks.acquire('k', { mode: 'read' })));
  const [first, second, third] = readers as [Lock, Lock, Lock];
  const nodes = new Map(
    (await others.inspect('k', ALL)).holders.map(({ fencingToken, node }) => [fencingToken, node]),
  );
  const breakBy = (token: bigint, of = token): Promise<unknown> =>
    others.breakLock('k', { node: nodes.get(of)!, token });
  await expect(breakBy(first.fencingToken, third.fencingToken)).rejects.toThrow(
    `is ${third.fencingToken}, not ${first.fencingToken}`,
  );
  await breakBy(second.fencingToken);
  await waitFor(() => second.signal.aborted, { what: 'the loss' });
  expect(readers.filter(({ isHeld }) => !isHeld)).toEqual([second]);
  await first.release();
  await expect(breakBy(first.fencingToken)).rejects.toThrow();
  third.assertHeld();
  await Promise.all(readers.map((lock) => lock.release()));
});

it('grants writers of one transaction one after the other', async () => {
  const { locks, others } = await made();
  const order: bigint[] = [];
  await Promise.all(
    many(async () => {
      await using lock = await locks.acquire('k');
      order.push(lock.fencingToken);
      const { holders, waiters } = await others.inspect('k', ALL);
      const tokens = [...holders, ...waiters].map(({ fencingToken }) => fencingToken);
      expect(tokens).toContain(lock.fencingToken);
      expect(rising(tokens)).toBe(true);
    }),
  );
  expect(order).toHaveLength(COUNT);
  expect(rising(order)).toBe(true);
});

it('creates the directory once, and one node for each call, where all found it missing', async () => {
  const { locks, queue, directory } = await openTwo(WIRE);
  const creations = vi.spyOn(locks.session, 'create');
  // No directory yet: all are refused at first.
  const readers = await Promise.all(many(() => locks.acquire('k', { mode: 'read' })));
  expect(await queue()).toHaveLength(COUNT);
  expect(creations.mock.calls.filter(([, path]) => path === directory).length).toBeLessThan(4);
  expect(new Set(readers.map(({ fencingToken }) => fencingToken)).size).toBe(COUNT);
  await Promise.all(readers.map((lock) => lock.release()));
  expect(await queue()).toEqual([]);
});

it('leaves no node of calls that are given up in the middle of a transaction', async () => {
  const { locks, queue } = await made();
  const stop = new AbortController();
  const all = many((index) =>
    locks.acquire('k', { mode: 'read', ...(index % 2 === 1 && { signal: stop.signal }) }),
  );
  setImmediate(() => stop.abort());
  const settled = await Promise.allSettled(all);
  expect(settled.filter(({ status }) => status === 'rejected')).toHaveLength(COUNT / 2);
  await waitFor(async () => (await queue()).length === COUNT / 2, { what: 'the removals' });
  for (const one of settled) if (one.status === 'fulfilled') await one.value.release();
  expect(await queue()).toEqual([]);
});

it.each([
  ['the answer', 'loseNextReply'],
  ['the request', 'loseNextRequest'],
] as const)('has one node for each call when %s of the transaction is lost', async (_, lose) => {
  const { proxy, locks, queue, root } = await used(openBehindProxy(WIRE));
  const loss = await proxy[lose]('multi');
  const readers = await Promise.all(many(() => locks.acquire('k', { mode: 'read' })));
  await loss.happened;
  expect(await queue()).toHaveLength(COUNT);
  const tokens = readers.map(({ fencingToken }) => fencingToken);
  expect(new Set(tokens).size).toBe(COUNT);
  const others = new Locks({ servers: sharedServer().connectString, root }, silentLogger);
  onTestFinished(() => others.close());
  await others.start();
  const { holders } = await others.inspect('k', ALL);
  expect(holders.map(({ fencingToken }) => fencingToken).toSorted()).toEqual(tokens.toSorted());
  for (const lock of readers) lock.assertHeld();
  await Promise.all(readers.map((lock) => lock.release()));
  await waitFor(async () => (await queue()).length === 0, { what: 'the removals' });
});

it('creates the nodes of cohorts in transactions of their own', async () => {
  const place = await used(openTwo({ ...WIRE, cohort: {} }));
  const readers = await Promise.all(many(() => place.locks.acquire('k', { mode: 'read' })));
  const tokens = readers.map(({ fencingToken }) => fencingToken);
  expect(new Set(tokens).size).toBe(COUNT);
  await Promise.all(readers.map((lock) => lock.release()));
});

it('takes permits of one directory beside each other', async () => {
  const { locks } = await made();
  const semaphore = locks.semaphore('s', { permits: COUNT / 2 });
  let inside = 0;
  let most = 0;
  await Promise.all(
    many(async () => {
      await using _permit = await semaphore.acquire();
      most = Math.max(most, ++inside);
      await new Promise((resolve) => setTimeout(resolve, 5));
      inside--;
    }),
  );
  expect(most).toBeLessThanOrEqual(COUNT / 2);
  expect(most).toBeGreaterThan(1);
});

it('lets a call of another process in between the transactions of a process that asks very often', async () => {
  const { locks, others, queue } = await made();
  const holder = await others.acquire('k');
  const giveUp = new AbortController();
  const { signal } = giveUp;
  const often = Array.from({ length: 900 }, () => locks.acquire('k', { signal }));
  const lonely = others.acquire('k', { signal, label: 'lonely' });
  await waitFor(async () => (await queue()).length === 902, { what: 'all to queue up' });
  const { waiters } = await others.inspect('k', ALL);
  giveUp.abort();
  await Promise.allSettled([...often, lonely]);
  await holder.release();
  expect(waiters).toHaveLength(901);
  expect(waiters.findIndex(({ holder }) => holder?.label === 'lonely')).toBeLessThan(600);
});
