import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FaultProxy } from './fault-proxy.js';
import { InspectClient } from './inspect-client.js';
import { openLocks, shortSession } from './locks.js';
import { sharedServer, uniqueRoot } from './shared-server.js';
import { waitFor } from './wait-for.js';

describe('FaultProxy', () => {
  let proxy: FaultProxy;
  let through: InspectClient;
  let beside: InspectClient;
  let root: string;

  beforeEach(async () => {
    root = uniqueRoot();
    proxy = await FaultProxy.start(sharedServer().port);
    through = await InspectClient.connect(proxy.connectString, { sessionTimeoutMs: 1_000 });
    beside = await InspectClient.connect(sharedServer().connectString);
  });

  afterEach(async () => {
    await proxy.thaw();
    await through.close();
    await beside.deleteTree(root);
    await beside.close();
    await proxy.stop();
  });

  const reconnected = (): Promise<unknown> =>
    waitFor(async () => (await proxy.connections()) === 1 && (await through.exists('/')), {
      what: 'the client to connect again',
      timeoutMs: 20_000,
    });

  it('counts the heartbeats of a session in use, and not as deletions', async () => {
    const locks = await openLocks({ root, servers: proxy.connectString, ...shortSession });
    const lock = await locks.acquire('k');
    await proxy.resetCounters();
    await waitFor(async () => (await proxy.requests()).heartbeat >= 2, { what: 'two heartbeats' });
    await expect(proxy.requests()).resolves.toMatchObject({ delete: 0 });
    await lock.release();
    await expect(proxy.requests()).resolves.toMatchObject({ delete: 1 });
  });

  it('loses a reply after the server has executed the request', async () => {
    const loss = await proxy.loseNextReply('create');
    const answer = through.create(root).catch((error: unknown) => error);
    await expect(loss.happened).resolves.toMatchObject({ error: 0 });
    await expect(beside.exists(root)).resolves.toBeDefined();
    await expect(answer).resolves.toMatchObject({ name: 'InspectError' });
    await reconnected();
  });

  it('loses a request before the server sees it', async () => {
    const loss = await proxy.loseNextRequest('create');
    const answer = through.create(root).catch((error: unknown) => error);
    await loss.happened;
    await expect(answer).resolves.toMatchObject({ name: 'InspectError' });
    await expect(beside.exists(root)).resolves.toBeUndefined();
    await reconnected();
  });

  it('keeps from the server the bytes of a connection that was given up while frozen', async () => {
    await proxy.freeze();
    const socket = connect(proxy.port, '127.0.0.1');
    socket.end('a request of a client that has gone');
    await once(socket, 'close');
    await expect(proxy.connections()).resolves.toBe(2);
    await proxy.thaw();
    await expect(proxy.connections()).resolves.toBe(1);
  });
});
