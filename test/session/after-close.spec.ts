import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { Locks } from 'zk-locks';

/** The number of sockets that keep this process running. */
const sockets = (): number =>
  process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;

it('an attempt to connect that gets no answer does not keep the process running after close()', async () => {
  const before = sockets();
  const silent = createServer((socket) => socket.unref()).listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  const connected = once(silent, 'connection');
  const { port } = silent.address() as AddressInfo;
  const locks = new Locks({ servers: `127.0.0.1:${port}`, sessionTimeoutMs: 30_000 });
  await locks.start({ wait: false });
  await connected;
  expect(sockets()).toBeGreaterThan(before);
  await locks.close();
  expect(sockets()).toBeLessThanOrEqual(before);
});
