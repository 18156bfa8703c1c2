import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { ServerAddress } from './zookeeper-client.js';

/**
 * All addresses of the configured servers, in random order so that clients are spread evenly. A
 * name that does not resolve is skipped if another one does.
 *
 * @throws the resolver's error when no name resolves
 */
export async function resolveServers(servers: readonly ServerAddress[]): Promise<ServerAddress[]> {
  const results = await Promise.allSettled(servers.map(resolveServer));
  const addresses = results.flatMap((result) =>
    result.status === 'fulfilled' ? result.value : [],
  );
  if (addresses.length === 0) {
    const failed = results.find((result) => result.status === 'rejected');
    throw failed?.reason ?? new Error('no servers');
  }
  return shuffle(addresses);
}

async function resolveServer({ host, port }: ServerAddress): Promise<ServerAddress[]> {
  if (isIP(host)) return [{ host, port }];
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => ({ host: address, port, name: host }));
}

function shuffle<T>(items: T[]): T[] {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [items[i], items[j]] = [items[j] as T, items[i] as T];
  }
  return items;
}
