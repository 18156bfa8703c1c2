import { EmbeddedZooKeeper } from 'zk-embedded';
import { onTestFinished } from 'vitest';
import { fourLetterWord } from '../support/four-letter-word.js';
import { waitFor } from '../support/wait-for.js';
import { WireClient } from '../support/wire-client.js';
import { Wire } from '../conformance/wire.js';

type Options = Parameters<typeof EmbeddedZooKeeper.start>[0];

/** A server for this test alone, with session timeouts from 200 ms. */
export async function startEmbedded(options: Options = {}): Promise<EmbeddedZooKeeper> {
  const zk = await EmbeddedZooKeeper.start({
    ...{ tickTimeMs: 100, maxSessionTimeoutMs: 60_000 },
    ...options,
  });
  onTestFinished(() => zk.stop());
  return zk;
}

/** A session on this server, which ends with it. */
export async function openWire(
  { port }: { readonly port: number },
  request: Parameters<typeof WireClient.connect>[1] = {},
): Promise<Wire> {
  const client = await WireClient.connect(port, request);
  onTestFinished(() => client.drop());
  return new Wire(client);
}

export async function attach(
  { port }: { readonly port: number },
  { client }: Wire,
  request: Parameters<typeof WireClient.connect>[1] = {},
): Promise<Wire> {
  const attached = await WireClient.attach(port, client, request);
  onTestFinished(() => attached.drop());
  return new Wire(attached);
}

type Metric = 'num_alive_connections' | 'watch_count';

/** The value of one of the server's metrics. */
export async function metric({ port }: { readonly port: number }, name: Metric): Promise<number> {
  const answer = await fourLetterWord(port, 'mntr');
  const value = new RegExp(`^zk_${name}\t(\\d+)$`, 'm').exec(answer)?.[1];
  if (value === undefined) throw new Error(`no ${name} in ${answer}`);
  return Number(value);
}

/** Resolves when the only connection is that of this query. */
export async function nobodyIsConnected(zk: EmbeddedZooKeeper): Promise<void> {
  await waitFor(async () => (await metric(zk, 'num_alive_connections')) === 1, {
    what: 'all connections to be gone',
  });
}

/** The id of a session in the format of the server's control calls. */
export function idOf({ client }: Wire): string {
  return `0x${client.sessionId.toString(16)}`;
}
