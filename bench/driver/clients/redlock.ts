import { Redis } from 'ioredis';
import Redlock, { ExecutionError } from 'redlock';
import type { Locksmith, Release } from '../locksmith.js';

const LEASE_MS = 10_000;

const releaseOf =
  (lock: { release(): Promise<unknown> }): Release =>
  () =>
    lock.release();

/** Its only mode is exclusive, so a reader is a writer. */
export async function openRedlock(servers: string): Promise<Locksmith> {
  const clients = servers.split(',').map((server) => {
    const [host, port] = server.split(':');
    return new Redis({ host: host ?? '', port: Number(port) });
  });
  await Promise.all(clients.map((client) => client.ping()));
  // Its own defaults, but without a limit of attempts.
  const redlock = new Redlock(clients, { retryCount: -1 });
  // This event reports each refused vote. The result of the call is what counts.
  redlock.on('error', () => undefined);
  return {
    take: (key) => redlock.acquire([key], LEASE_MS).then(releaseOf),
    async tryTake(key) {
      try {
        const lock = await redlock.acquire([key], LEASE_MS, { retryCount: 0 });
        return releaseOf(lock);
      } catch (error) {
        if (error instanceof ExecutionError) return undefined;
        throw error;
      }
    },
    close: () => redlock.quit(),
  };
}
