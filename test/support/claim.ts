import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Addresses of the loopback network on which no service listens. A process that listens there has
 * claimed the port for the named purpose, until it ends.
 */
const addresses = { freePort: '127.0.0.2', sharedServer: '127.0.0.3' } as const;

export interface Claim {
  /** Releases it early. */
  drop(): void;
}

/** A claim that lasts as long as this process; undefined if there is one already. */
export async function claim(
  port: number,
  what: keyof typeof addresses,
): Promise<Claim | undefined> {
  const server = createServer().unref().listen(port, addresses[what]);
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined;
    throw error;
  }
  return { drop: () => server.close() };
}
