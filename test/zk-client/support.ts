import { onTestFinished } from 'vitest';
import { type ChannelEnd, Connection, type ConnectionOptions, type WatcherEvent } from 'zk-client';
import { sharedServer } from '../support/shared-server.js';

export interface Observed {
  readonly connection: Connection;
  readonly events: WatcherEvent[];
  readonly ends: ChannelEnd[];
}

/** A connection to the shared server, or to another one, that is closed when the test is over. */
export async function open(options: Partial<ConnectionOptions> = {}): Promise<Observed> {
  const events: WatcherEvent[] = [];
  const ends: ChannelEnd[] = [];
  const connection = await Connection.open({
    host: '127.0.0.1',
    port: sharedServer().port,
    // An answer is waited for a third of it.
    sessionTimeoutMs: 10_000,
    listener: {
      onEvent: (event) => events.push(event),
      onEnd: (end) => ends.push(end),
    },
    ...options,
  });
  onTestFinished(async () => {
    await connection.close();
  });
  return { connection, events, ends };
}
