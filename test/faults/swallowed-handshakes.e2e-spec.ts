import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { openLocks, ownRoot } from '../support/locks.js';
import { sharedServer } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';

const SESSION = { sessionTimeoutMs: 12_000, tickTimeMs: 500 };

/** A proxy that sometimes accepts connections but never answers, like a starting server. */
async function openWay(port: number) {
  const sockets = new Set<Socket>();
  const own = (socket: Socket): Socket => {
    sockets.add(socket.on('error', () => undefined).on('close', () => sockets.delete(socket)));
    return socket;
  };
  let toSwallow = 0;
  const way = createServer((socket) => {
    own(socket);
    if (toSwallow > 0) toSwallow--;
    else socket.pipe(own(connect(port, '127.0.0.1'))).pipe(socket);
  });
  await once(way.listen(0, '127.0.0.1'), 'listening');
  const cut = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  onTestFinished(() => {
    way.close();
    cut();
  });
  return {
    connectString: `127.0.0.1:${(way.address() as AddressInfo).port}`,
    /** Cuts the connections, and then accepts this many without answering. */
    swallow(connections: number): void {
      toSwallow = connections;
      cut();
    },
    get isOpen(): boolean {
      return toSwallow === 0;
    },
  };
}

it('a session and its locks outlive three reconnects in a row that a server accepts and never answers', async () => {
  const way = await openWay(sharedServer().port);
  const servers = way.connectString;
  const locks = await openLocks({ ...SESSION, servers, root: ownRoot() });
  const lock = await locks.acquire('key');
  // Renews the lease until the cut: a twelfth, a sixth and a third of the timeout pass before the
  // next attempt.
  const since = performance.now();
  while (performance.now() - since < 1_000) await locks.withLock('other', () => undefined);
  way.swallow(3);
  await waitFor(() => way.isOpen && (locks.session.isConnected || lock.signal.aborted), {
    what: 'the session to be attached or lost',
    timeoutMs: 30_000,
  });
  expect(lock.signal.aborted).toBe(false);
  lock.assertHeld();
  await lock.release();
});
