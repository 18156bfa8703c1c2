import { onTestFinished } from 'vitest';
import {
  clientFromEnvironment,
  type ClientName,
  connectorFor,
  DEFAULT_CLIENT,
} from '../../libs/zk-locks/src/options/client-name.js';
import type {
  ClientEnd,
  ConnectRequest,
  LastingEvent,
  ZooKeeperClient,
} from '../../libs/zk-client/src/port/zookeeper-client.js';

export interface ObservedClient {
  readonly client: ZooKeeperClient;
  readonly ends: ClientEnd[];
  readonly events: { path: string; event: LastingEvent }[];
}

/** A connection to a server on this machine, closed when the test is over. */
export async function openClient(
  port: number,
  request: Partial<ConnectRequest> = {},
  name = clientOfTests(),
): Promise<ObservedClient> {
  const ends: ClientEnd[] = [];
  const events: { path: string; event: LastingEvent }[] = [];
  const client = await connectorFor(name).connect({
    address: { host: '127.0.0.1', port },
    // The client waits for an answer for a third of this time.
    sessionTimeoutMs: 9_000,
    connectTimeoutMs: 10_000,
    listener: {
      onEnd: (end) => ends.push(end),
      onNode: (path, event) => events.push({ path, event }),
    },
    ...request,
  });
  onTestFinished(async () => {
    await client.close();
  });
  return { client, ends, events };
}

/** The client of tests that do not name one. */
export function clientOfTests(): ClientName {
  return (clientFromEnvironment() ?? DEFAULT_CLIENT) as ClientName;
}
