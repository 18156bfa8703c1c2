import { whyNotServing } from '../connection/channel/why-not-serving.js';
import { formatAddress } from '../port/connect-string.js';
import { ReturnCode, ZooKeeperError } from '../port/client-errors.js';
import {
  believableTimeoutMs,
  type ConnectRequest,
  type SessionCredentials,
  type ZooKeeperClient,
  type ZooKeeperConnector,
} from '../port/zookeeper-client.js';
import { nextDescriptor } from './descriptor-parking.js';
import { dropConnection, openAfterDrops } from './drop-connection.js';
import { NativeClient } from './native-client.js';
import { loadNativeModule, type NativeCalls, type NativeHandle } from './native-module.js';
import { clearInterval, clearTimeout, setInterval, setTimeout } from '../real-time.js';

/** States in which the C client is still on its way to a connection. */
const CONNECTING_STATES = [1, 2];
const POLL_MS = 5;

/** Instead of a descriptor: a refused connection has none. */
const NONE = -1;

/** Never let the binding end a session by itself because an answer came in many small pieces. */
const NO_RESPONSE_LIMIT = 0x7fffffff;

/**
 * The next attempt to connect waits for the reason. A port with TLS is silent at first, and then needs
 * time for a handshake, on a busy machine much of it.
 */
const REASON_TIMEOUT_MS = 2_000;

/** Opens connections over the npm package `zookeeper` 7 (a binding to Apache's C client). */
export class NativeConnector implements ZooKeeperConnector {
  readonly description = 'client "native" (npm zookeeper)';

  load(): void {
    loadNativeModule();
  }

  async connect(request: ConnectRequest): Promise<ZooKeeperClient> {
    const Handle = loadNativeModule();
    const { host, port } = request.address;
    const server = formatAddress(request.address);
    const config = {
      // One IP literal per handle: given names, the C client calls getaddrinfo at every poll event.
      connect: `${host}:${port}`,
      timeout: request.sessionTimeoutMs,
      response_counter_limit: NO_RESPONSE_LIMIT,
      ...(request.session && {
        client_id: request.session.id,
        client_password: request.session.password,
      }),
    };
    const handle = new Handle(config);
    const descriptor = await openAfterDrops(() => connect(handle, server, request)).catch(
      async (error: unknown) => {
        throw await withReason(error, request);
      },
    );
    const returnCode = refusalOf(handle.native, request.session);
    if (returnCode !== ReturnCode.ok) {
      await dropConnection(handle, descriptor);
      throw new ZooKeeperError(returnCode, 'connect', server);
    }
    const sessionTimeoutMs = believableTimeoutMs(handle.native.timeout, request.sessionTimeoutMs);
    return new NativeClient(handle, descriptor, server, sessionTimeoutMs, request.listener);
  }
}

/** What is wrong with a handshake that the C client has accepted. */
function refusalOf(
  { client_id: id, timeout }: NativeCalls,
  session: SessionCredentials | undefined,
): number {
  // Not a session: nodes without an owner have that id.
  if (timeout <= 0 || /^0*$/.test(id)) return ReturnCode.marshallingError;
  return session && id !== session.id ? ReturnCode.sessionExpired : ReturnCode.ok;
}

/** Resolves once the handle is connected, with the number of its socket. */
function connect(
  handle: NativeHandle,
  server: string,
  { connectTimeoutMs, over }: ConnectRequest,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const refusal = (returnCode: number) => new ZooKeeperError(returnCode, 'connect', server);
    if (over?.aborted) return reject(refusal(ReturnCode.operationTimeout));
    const descriptor = nextDescriptor();
    const giveUp = (): void => fail(ReturnCode.operationTimeout);
    const deadline = setTimeout(giveUp, connectTimeoutMs);
    over?.addEventListener('abort', giveUp, { once: true });
    // No event reports a refused connection.
    const poll = setInterval(() => {
      if (!CONNECTING_STATES.includes(handle.native.state)) fail(ReturnCode.connectionLoss, NONE);
    }, POLL_MS);
    const stop = (): void => {
      clearTimeout(deadline);
      clearInterval(poll);
      over?.removeEventListener('abort', giveUp);
    };
    const fail = (returnCode: number, lost = descriptor): void => {
      stop();
      void dropConnection(handle, lost).then(() => reject(refusal(returnCode)));
    };
    handle.on('connect', () => {
      stop();
      resolve(descriptor);
    });
    handle.on('close', (_, code) => fail(code || ReturnCode.connectionLoss));
    handle.init({});
  });
}

/**
 * The failure of an attempt to connect, with its reason as the cause if it can be found. The C client
 * writes the system's error only to its own log. So Node connects to the same address once more: the
 * cause is its error, or what the server then says of itself.
 */
async function withReason(
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
