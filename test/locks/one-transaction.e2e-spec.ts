import { expect, it, vi } from 'vitest';
import type { Lock } from '../../libs/zk-locks/src/lock/lock.js';
import { makeLasting, openTwo, type SharedPlace } from '../support/place.js';
import { waitFor } from '../support/wait-for.js';

/** More than a server executes within a round trip, so that they are sent in one transaction. */
const COUNT = 200;
const ALL = { limit: 1_000 };
/** npm zookeeper creates each node separately. */
const WIRE = { client: 'wire' } as const;
const czxidOf = (token: bigint): bigint => token >> 10n;
const many = <T>(one: (index: number) => T): T[] => Array.from({ length: COUNT }, (_, i) => one(i));
const rising = (tokens: readonly bigint[]): boolean =>
  tokens.every((token, index) => index === 0 || token > tokens[index - 1]!);

/** A key that was used before and whose directory still exists. */
async function made(): Promise<SharedPlace> {
  const place = await openTwo(WIRE);
  await makeLasting(place);
  for (let cycle = 0; cycle < 10; cycle++) await place.locks.withLock('k', () => undefined);
  return place;
}

it('gives calls whose nodes one transaction creates tokens that rise, and that other processes see', async () => {
  const { locks, others } = await made();
  const readers = await Promise.all(many(() => locks.acquire('k', { mode: 'read' })));
  const tokens = readers.map(({ fencingToken }) => fencingToken);
  expect(new Set(tokens.map(czxidOf)).size).toBe(1);
  expect(rising(tokens)).toBe(true);
  const { holders } = await others.inspect('k', ALL);
  expect(holders.map(({ fencingToken }) => fencingToken)).toEqual(tokens);
  // After the release of the first ones, the tokens of the others do not change.
  await Promise.all(readers.slice(0, 5).map((lock) => lock.release()));
  const rest = await others.inspect('k', ALL);
  expect(rest.holders.map(({ fencingToken }) => fencingToken)).toEqual(tokens.slice(5));
  await Promise.all(readers.map((lock) => lock.release()));
});

it('breaks the lock with that token, and none that the same transaction created', async () => {
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

it('creates the directory once, and one node for each call, if all calls found it missing', async () => {
  const { locks, queue, directory } = await openTwo(WIRE);
  const creations = vi.spyOn(locks.session, 'create');
  // There is no directory yet, so all are refused at first.
  const readers = await Promise.all(many(() => locks.acquire('k', { mode: 'read' })));
  expect(await queue()).toHaveLength(COUNT);
  expect(creations.mock.calls.filter(([, path]) => path === directory).length).toBeLessThan(4);
  expect(new Set(readers.map(({ fencingToken }) => fencingToken)).size).toBe(COUNT);
  await Promise.all(readers.map((lock) => lock.release()));
  expect(await queue()).toEqual([]);
});
