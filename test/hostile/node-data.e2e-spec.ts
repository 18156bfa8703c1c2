import { describe, expect, it } from 'vitest';
import type { InspectClient } from '../support/inspect-client.js';
import { lockNodes, openInspector, openLocks, ownRoot, type TestLocks } from '../support/locks.js';
import { openSemaphorePlace } from '../support/semaphores.js';
import { waitFor } from '../support/wait-for.js';

const ours = { host: 'h', pid: 1, since: '2026-01-01T00:00:00.000Z' };
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

/** Requests to release a lock: Curator's and ours. */
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
    // The request is read after the grant.
    await waitFor(() => next.revoked.aborted, { what: 'the request to be read' });
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
  ])('of %s is reported, and takes nothing from holders', async (_what, data) => {
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
