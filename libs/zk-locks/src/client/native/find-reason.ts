import { whyNotServing } from 'zk-client';
import { ReturnCode, ZooKeeperError } from '../client-errors.js';
import type { ConnectRequest } from '../zookeeper-client.js';

/** A server that answers at all answers sooner, and the next attempt to connect waits for it. */
const REASON_TIMEOUT_MS = 250;

/**
 * The failure of an attempt to connect, with its reason as the cause where there is one to be had. The C
 * client writes the system's error into its own log only. So Node makes one more connection to the same
 * address: its error, or what the server says of itself, is what holds a moment later.
 */
export async function withReason(
  error: unknown,
  { address: { host, port }, connectTimeoutMs }: ConnectRequest,
): Promise<unknown> {
  const isRefused =
    error instanceof ZooKeeperError && error.returnCode === ReturnCode.connectionLoss;
  if (!isRefused) return error;
  const signal = AbortSignal.timeout(Math.min(connectTimeoutMs, REASON_TIMEOUT_MS));
  const cause = await whyNotServing({ host, port, signal }).catch((reason: unknown) =>
    signal.aborted ? undefined : reason,
  );
  return new ZooKeeperError(error.returnCode, error.request, error.path, { cause });
}
