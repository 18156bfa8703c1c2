import { onTestFinished } from 'vitest';
import { type ClientEnd, Connection, type ConnectionOptions } from 'zk-client';
import { sharedServer } from '../support/shared-server.js';

export interface Observed {
  readonly connection: Connection;
  /** The paths of its events, in their order. */
  readonly events: string[];
  readonly ends: ClientEnd[];
}

/** A connection to the shared server, or to another one, that is closed when the test is over. */
export async function open(options: Partial<ConnectionOptions> = {}): Promise<Observed> {
  const events: string[] = [];
  const ends: ClientEnd[] = [];
  const connection = await Connection.open({
    host: '127.0.0.1',
    port: sharedServer().port,
    // An answer is waited for a third of it.
    sessionTimeoutMs: 10_000,
    listener: {
      onNode: (path) => events.push(path),
      onEnd: (end) => ends.push(end),
    },
    ...options,
  });
  onTestFinished(async () => {
    await connection.close();
  });
  return { connection, events, ends };
}
