import { describe, expect, it } from 'vitest';
import type { InspectClient } from '../support/inspect-client.js';
import { lockNodes, openInspector, openLocks, ownRoot, type TestLocks } from '../support/locks.js';
import { openSemaphorePlace } from '../support/semaphores.js';
import { waitFor } from '../support/wait-for.js';

const ours = { host: 'h', pid: 1, since: '2026-01-01T00:00:00.000Z' };
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

/** Data that others may write into nodes. */
const DATA: readonly [what: string, data: Buffer][] = [
  ['nothing', Buffer.alloc(0)],
  ['garbage', Buffer.from([0, 255, 254, 1, 128])],
  ['almost 1 MiB', Buffer.alloc(1_000_000, '[')],
  ['a JSON number', Buffer.from('1e999')],
  ['wrong types', json({ host: {}, pid: '1', since: [], permits: 'x' })],
  ['absurd numbers', json({ ...ours, permits: -5.5, pid: 1e308 })],
  ['__proto__', Buffer.from(`{"__proto__":{"isHeld":true},"host":"h","pid":1,"since":"x"}`)],
  ['deep nesting', Buffer.from('{"a":'.repeat(50_000) + '1' + '}'.repeat(50_000))],
  ['a request to give up, almost', Buffer.from('__REVOKE__\n')],
];

/** Curator's, and ours. */
const REVOCATIONS: readonly [what: string, data: Buffer][] = [
  ["Curator's", Buffer.from('__REVOKE__')],
  ['our own', json({ ...ours, revokedAt: ours.since })],
];

interface Place {
  readonly locks: TestLocks;
  readonly inspector: InspectClient;
  readonly directory: string;
  nodes(): Promise<string[]>;
}

async function openPlace(): Promise<Place> {
  const root = ownRoot();
  const [locks, inspector] = [await openLocks({ root }), await openInspector()];
  const directory = `${root}/k`;
  const nodes = async (): Promise<string[]> =>
    (await lockNodes(inspector, directory)).map((name) => `${directory}/${name}`);
  return { locks, inspector, directory, nodes };
}

/** A plain object without inherited or merged properties. */
function expectSane(holder: object | undefined): void {
  if (!holder) return;
  expect(Object.getPrototypeOf(holder)).toBe(Object.prototype);
  expect(holder).not.toHaveProperty('isHeld');
  const { permits = 1, ...rest } = holder as { permits?: unknown };
  expect(permits).toBe(1);
  expect(JSON.stringify(rest).length).toBeLessThan(4_096);
}

describe.each(DATA)('%s in a node', (_what, data) => {
  it('of a lock leaves holder and waiter as they are', async () => {
    const { locks, inspector, nodes } = await openPlace();
    const holder = await locks.acquire('k');
    const waiting = locks.acquire('k', { timeoutMs: 20_000 });
    await waitFor(async () => (await nodes()).length === 2, { what: 'both nodes' });
    for (const path of await nodes()) await inspector.set(path, data);

    const { holders, waiters, total } = await locks.inspect('k', { linearizable: true });
    expect([holders.length, waiters.length, total]).toEqual([1, 1, 2]);
    for (const { holder: shown } of [...holders, ...waiters]) expectSane(shown);
    expect(holder.revoked.aborted).toBe(false);
    holder.assertHeld();
    await holder.release();
    const next = await waiting;
    expect(next.revoked.aborted).toBe(false);
    await next.release();
  });
});

describe.each(REVOCATIONS)('a request to give up, %s,', (_what, data) => {
  it('concerns only the owner of the node, and costs no holder its lock', async () => {
    const { locks, inspector, nodes } = await openPlace();
    const holder = await locks.acquire('k');
    const waiting = locks.acquire('k', { timeoutMs: 20_000 });
    await waitFor(async () => (await nodes()).length === 2, { what: 'both nodes' });
    const own = await ownerOf(locks);
    for (const path of await nodes()) if (!path.endsWith(own)) await inspector.set(path, data);
    await locks.inspect('k', { linearizable: true });
    expect(holder.revoked.aborted).toBe(false);
    await holder.release();
    const next = await waiting;
    expect(next.revoked.aborted).toBe(true);
    next.assertHeld();
    await next.release();
  });
});

async function ownerOf(locks: TestLocks): Promise<string> {
  const { holders } = await locks.inspect('k', { linearizable: true });
  return holders[0]!.node;
}

describe('a shared count', () => {
  it.each([
    ['five bytes', Buffer.alloc(5)],
    ['none', Buffer.alloc(0)],
    ['text', Buffer.from('three')],
    ['1 MB', Buffer.alloc(1_000_000)],
  ])('of %s is named, and takes nothing from holders', async (_what, data) => {
    const { root, inspector, leased, empty } = await openSemaphorePlace();
    const path = `${root}-count`;
    const locks = await openLocks({ root });
    const semaphore = locks.semaphore('k', { permits: { sharedCount: path, seed: 1 } });
    const permit = await semaphore.acquire();
    const waiting = semaphore.acquire({ timeoutMs: 20_000 });
    const refused = expect(waiting).rejects.toMatchObject({ code: 'SHARED_COUNT_MALFORMED', path });
    await leased(2);
    await inspector.set(path, data);
    await refused;
    await expect(semaphore.inspect()).rejects.toMatchObject({ code: 'SHARED_COUNT_MALFORMED' });
    await expect(semaphore.acquire()).rejects.toMatchObject({ code: 'SHARED_COUNT_MALFORMED' });
    permit.assertHeld();
    await permit.release();
    await empty();
    await semaphore.setPermits(1);
    await (await semaphore.acquire()).release();
    await empty();
    await inspector.delete(path);
  });
});
