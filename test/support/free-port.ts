import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { claim } from './claim.js';

/**
 * Below Linux's ephemeral range (32768 and up): a port from there could be taken by any outgoing
 * connection while a server that owns it is restarting.
 */
const lowest = 15_000;
const highest = 32_000;

/** A free port on 127.0.0.1. It is given to no other caller while this process lives. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, highest);
    const claimed = await claim(port, 'freePort');
    if (!claimed) continue;
    if (await isFree(port)) return port;
    claimed.drop();
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
