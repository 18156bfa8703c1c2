import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ZooKeeperError } from '../../libs/zk-client/src/port/client-errors.js';
import { onlyFor } from '../../libs/zk-client/src/port/user.js';
import type { Created } from '../../libs/zk-client/src/port/zookeeper-client.js';
import { clientOfTests, openClient } from '../support/clients.js';
import { collectGarbage } from '../support/collect-garbage.js';
import { endsWithin } from '../support/ends-within.js';
import { leastOf } from '../support/loop-meter.js';
import { ownNode } from '../support/own-node.js';
import { openProxy } from '../support/open-proxy.js';
import { openInspector } from '../support/locks.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';

const nothing = Buffer.alloc(0);
const everyone = onlyFor('world', 'anyone');

/** Blocks this thread. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** The client of this test project. */
const name = clientOfTests();

it('creates, reads, lists and deletes nodes, with exact stats', async () => {
  const root = await ownNode();
  const { client } = await openClient(sharedServer().port);
  const data = Buffer.from('data');
  const created = await client.create(`${root}/n-`, data, 'ephemeral-sequential');
  const { path: first } = created;
  const { path: second } = await client.create(`${root}/n-`, nothing, 'ephemeral-sequential');
  expect([first, second]).toEqual([`${root}/n-0000000000`, `${root}/n-0000000001`]);

  const { data: read, stat } = await client.get(first);
  expect(created.czxid).toBe(name === 'wire' ? stat.czxid : undefined);
  expect(read.toString()).toBe('data');
  expect(stat.ephemeralOwner).toBe(client.session.id);
  expect((await client.get(second)).stat.czxid).toBeGreaterThan(stat.czxid);
  expect((await client.get(root)).stat.ephemeralOwner).toBe('0');
  expect((await client.list(root)).toSorted()).toEqual(['n-0000000000', 'n-0000000001']);
  await client.delete(first);
  await client.sync(root);
  expect(await client.list(root)).toEqual(['n-0000000001']);
});

it('creates a node with its ACL, or not at all', async () => {
  const root = await ownNode();
  const { client } = await openClient(sharedServer().port);
  const create = (name: string, acl = everyone): Promise<Created> =>
    client.create(`${root}/${name}`, Buffer.from('data'), 'ephemeral-sequential', { acl });
  if (name === 'native') {
    await expect(create('a-', onlyFor('digest', 'user:hash'))).rejects.toThrow(
      '`client` is native, which does not support ACLs',
    );
    expect(await client.list(root)).toEqual([]);
    return;
  }
  for (const { path, czxid } of await Promise.all([create('a-'), create('b-')])) {
    const { data, stat } = await client.get(path);
    expect(stat.czxid).toBe(czxid);
    expect(stat.aclVersion).toBe(0);
    expect(data.toString()).toBe('data');
  }
});

it('distinguishes definite refusals', async () => {
  const root = await ownNode();
  const { client, ends } = await openClient(sharedServer().port);
  const refusals: [() => Promise<unknown>, number, string][] = [
    [() => client.get(`${root}/none`), -101, 'ZK_NO_NODE'],
    [() => client.delete(`${root}/none`), -101, 'ZK_NO_NODE'],
    [() => client.create(root, nothing, 'persistent'), -110, 'ZK_NODE_EXISTS'],
    [() => client.delete('/zookeeper'), -8, 'ZK_BAD_ARGUMENTS'],
    [() => client.list('no-slash'), -8, 'ZK_BAD_ARGUMENTS'],
  ];
  for (const [request, returnCode, code] of refusals) {
    const refusal = await request().catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ZooKeeperError);
    expect(refusal).toMatchObject({ returnCode, code, outcome: 'definite' });
  }
  expect(ends).toEqual([]);
});

it('expects no answer to a request that is refused before it is sent', async () => {
  const { client, ends } = await openClient(sharedServer().port);
  await expect(client.list('no-slash')).rejects.toMatchObject({ code: 'ZK_BAD_ARGUMENTS' });
  const refusedAt = performance.now();
  const isOver = (): boolean => performance.now() - refusedAt > client.sessionTimeoutMs / 2;
  await waitFor(() => ends.length > 0 || isOver(), { what: 'half of the session timeout' });
  expect(ends).toEqual([]);
});

it('reports once each watched node that is deleted or changed', async () => {
  const root = await ownNode();
  const inspector = await openInspector();
  await inspector.create(`${root}/a`, '');
  await inspector.create(`${root}/b`, '');
  const { client, events } = await openClient(sharedServer().port);
  for (const path of [`${root}/a`, `${root}/a`, `${root}/b`])
    await client.get(path, { watch: true });
  await inspector.set(`${root}/a`, 'changed');
  await inspector.delete(`${root}/a`);
  await inspector.delete(`${root}/b`);
  await client.sync(root);
  expect(events).toEqual([
    { path: `${root}/a`, event: 'changed' },
    { path: `${root}/b`, event: 'deleted' },
  ]);
});

it('ends within a third of the session timeout if an answer is missing, and leaves the session alive', async () => {
  const root = await ownNode();
  const proxy = await openProxy();
  const { client, ends } = await openClient(proxy.port);
  await client.create(`${root}/mine`, nothing, 'ephemeral');
  await proxy.freezeTowards('client');
  const startedAt = performance.now();
  const unanswered = Promise.allSettled([
    client.create(`${root}/second`, nothing, 'ephemeral'),
    client.list(root),
  ]);
  expect(await endsWithin(client.sessionTimeoutMs / 2, unanswered)).toBe(true);
  expect(performance.now() - startedAt).toBeGreaterThan(client.sessionTimeoutMs / 3 - 5);

  expect(await unanswered).toMatchObject([
    { status: 'rejected', reason: { code: 'ZK_OPERATION_TIMEOUT', outcome: 'ambiguous' } },
    { status: 'rejected', reason: { outcome: 'ambiguous' } },
  ]);
  await waitFor(() => ends.length, { what: 'the end of the connection' });
  expect(ends).toEqual(['disconnected']);
  await expect(client.list(root)).rejects.toMatchObject({ outcome: 'not-sent' });

  await proxy.thaw();
  const { session } = client;
  const { client: attached } = await openClient(proxy.port, { session });
  expect(attached.session.id).toBe(client.session.id);
  expect((await attached.list(root)).toSorted()).toEqual(['mine', 'second']);
});

it('survives an event-loop turn that takes longer than that after a request', async () => {
  const { client, ends } = await openClient(sharedServer().port);
  for (let round = 0; round < 2; round++) {
    // The connection is idle in the first round. In the second one, the timer of an earlier request runs.
    const answer = client.list('/');
    block(client.sessionTimeoutMs / 3 + 50);
    expect(await answer).toContain('zookeeper');
    await client.sync('/');
  }
  expect(ends).toEqual([]);
});

it('notices a reset connection, even if a send is the first to encounter it', async () => {
  const root = await ownNode();
  const proxy = await openProxy();
  for (let round = 0; round < 20; round++) {
    const { client, ends } = await openClient(proxy.port, { sessionTimeoutMs: 40_000 });
    await client.create(`${root}/mine-${round}`, nothing, 'ephemeral');
    const cutting = proxy.cut();
    // Blocks this thread, so that the reset has arrived before the event loop can notice it.
    block(20);
    const sentAt = performance.now();
    const lost = Promise.allSettled([client.sync(root), client.sync(root)]);
    await cutting;
    for (const outcome of await lost) expect(outcome.status).toBe('rejected');
    await waitFor(() => ends.length, { what: 'the end of the connection' });
    expect(ends).toEqual(['disconnected']);
    // Left alone, the C client would check again after a third of the session timeout.
    expect(performance.now() - sentAt).toBeLessThan(client.sessionTimeoutMs / 3);
    const { session } = client;
    const { client: attached } = await openClient(proxy.port, { session });
    expect(await attached.list(root)).toContain(`mine-${round}`);
  }
});

it('survives a send on a reset connection before the event loop polls it again', async () => {
  const proxy = await openProxy();
  for (let round = 0; round < 5; round++) {
    const { client, ends } = await openClient(proxy.port);
    await client.sync('/');
    // Runs after the C client's own callback, in which the event loop is told what to poll next.
    await nextTurn();
    const cutting = proxy.cut();
    block(20);
    await expect(client.sync('/')).rejects.toMatchObject({ code: 'ZK_CONNECTION_LOSS' });
    await cutting;
    await waitFor(() => ends.length, { what: 'the end of the connection' });
    expect(ends).toEqual(['disconnected']);
  }
});

it('gives up a connection at once without ending its session', async () => {
  const root = await ownNode();
  const { client, ends } = await openClient(sharedServer().port);
  await client.create(`${root}/mine`, nothing, 'ephemeral');
  const inFlight = client.sync(root);
  client.abandon();
  // A client that batches requests knows that this one was not sent.
  const outcome = name === 'wire' ? 'not-sent' : 'ambiguous';
  await expect(inFlight).rejects.toMatchObject({ outcome });
  const { session } = client;
  const { client: attached } = await openClient(sharedServer().port, { session });
  expect(await attached.list(root)).toEqual(['mine']);
  expect(ends).toEqual([]);
});

it('does not block the event loop when it is closed while the server is silent', async () => {
  const proxy = await openProxy();
  const { client } = await openClient(proxy.port);
  await proxy.freeze();
  let turns = 0;
  const ticking = setInterval(() => turns++, 5);
  await client.close();
  clearInterval(ticking);
  // It waits for a third of the session timeout. A blocked thread would have one or two turns in
  // that time.
  expect(turns).toBeGreaterThan(10);
  await proxy.thaw();
});

it('reports in time that no server listens or that none answers', async () => {
  const proxy = await openProxy();
  await proxy.refuse();
  await expect(openClient(proxy.port)).rejects.toMatchObject({ code: 'ZK_CONNECTION_LOSS' });
  await proxy.accept();
  await proxy.freeze();
  const silent = openClient(proxy.port, { connectTimeoutMs: 300 });
  await expect(silent).rejects.toMatchObject({ code: 'ZK_OPERATION_TIMEOUT' });
  await proxy.thaw();
});

it('keeps no memory for completed reads and triggered watches', async () => {
  const root = await ownNode();
  const { client } = await openClient(sharedServer().port);
  const heapAfter = async (rounds: number): Promise<number> => {
    for (let round = 0; round < rounds; round++) {
      const batch = Array.from({ length: 200 }, () => client.get(root, { watch: true }));
      await Promise.all(batch);
    }
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  await heapAfter(20);
  // A leaked closure is about 100 bytes, 10,000 of them 1 MB.
  const limit = 700_000;
  const growth = async (): Promise<number> => {
    const before = await heapAfter(1);
    return (await heapAfter(50)) - before;
  };
  expect(await leastOf(limit, growth)).toBeLessThan(limit);
});

// For the other client, the socket is only unreferenced.
if (name === 'native') {
  it.each([0, 300])(
    'gives up an attempt to connect %i ms after it began, so that it does not keep the process running',
    async (afterMs) => {
      const proxy = await openProxy();
      await proxy.freeze();
      const over = AbortSignal.timeout(afterMs);
      const request = { connectTimeoutMs: 60_000, over };
      const beganAt = performance.now();
      await expect(openClient(proxy.port, request)).rejects.toMatchObject({
        code: 'ZK_OPERATION_TIMEOUT',
      });
      expect(performance.now() - beganAt).toBeLessThan(30_000);
      await proxy.thaw();
    },
  );

  it('begins no attempt to connect if its signal has already aborted', async () => {
    const request = { over: AbortSignal.abort() };
    await expect(openClient(sharedServer().port, request)).rejects.toMatchObject({
      code: 'ZK_OPERATION_TIMEOUT',
    });
  });
}
