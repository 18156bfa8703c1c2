import { CommandProcess } from './command-process.js';
import { freePort } from './free-port.js';
import { ownProgram } from './own-process.js';
import type { Operation } from './relay/read-along.js';
import type { Relay } from './relay/relay.js';
import type { RelayCommands } from './relay/relay-process.js';

/**
 * A process for relays. ZooKeeper's C client blocks the thread that closes it until the server has
 * answered, and goes on polling file descriptors that it has closed. A relay in the same process
 * would be blocked with it.
 */
export class RelayHost extends CommandProcess<RelayCommands> {
  static async start(): Promise<RelayHost> {
    const program = ownProgram('dist/test/support/relay/relay-process.js');
    const host = new RelayHost(program, 'the relays');
    await host.ready();
    return host;
  }
}

const RELAY_METHODS = [
  ...(['cut', 'refuse', 'accept', 'freezeTowards', 'thaw', 'delay', 'loseNothing'] as const),
  ...(['requests', 'notifications', 'bytes', 'resetCounters'] as const),
];

type Method = keyof Relay;
type Call<M extends Method> = (
  ...args: Parameters<Relay[M]>
) => Promise<Awaited<ReturnType<Relay[M]>>>;

/** A requested loss, which may not have happened yet. */
export interface PendingLoss {
  readonly happened: Promise<void>;
}

/**
 * A TCP proxy between ZooKeeper clients and a server. Its faults are named by their effects.
 *
 * It runs in another process ({@link RelayHost}), so every call returns a promise, and has taken
 * effect once that resolves. Four-letter words do not pass: send those to the server itself.
 *
 * @example
 * const proxy = await FaultProxy.start(server.port, await RelayHost.start());
 * const loss = await proxy.loseNextReply('create');
 * const locking = locks.acquire('key'); // connected to proxy.connectString
 * await loss.happened; // the server has created the node, and the client does not know
 */
export interface FaultProxy
  extends
    AsyncDisposable,
    Readonly<{
      [M in (typeof RELAY_METHODS)[number]]: Call<M>;
    }> {
  readonly port: number;
  readonly connectString: string;
  /** Holds back all bytes in both directions; sockets stay open, and new ones are silent. */
  freeze(): Promise<void>;
  /**
   * Passes the next such request to the server, waits for the answer, drops it and resets the
   * connection: the server has executed the request, and the client cannot know. It may be part of
   * a `multi`, whose answer is then lost.
   */
  loseNextReply(operation: Operation): Promise<PendingLoss>;
  /**
   * Drops the next such request and all that follow. Resets the connection once the server has
   * answered the earlier ones: the server never gets the request.
   */
  loseNextRequest(operation: Operation): Promise<PendingLoss>;
  stop(): Promise<void>;
}

export const FaultProxy = {
  /** @param targetPort the server's port on 127.0.0.1 */
  start: (targetPort: number, host: RelayHost): Promise<FaultProxy> =>
    open(targetPort, false, host),

  /** For links that don't carry ZooKeeper's client protocol, such as those between servers. */
  startBlind: (targetPort: number, host: RelayHost): Promise<FaultProxy> =>
    open(targetPort, true, host),
};

async function open(targetPort: number, isBlind: boolean, host: RelayHost): Promise<FaultProxy> {
  const port = await freePort();
  const call =
    <M extends Method>(method: M) =>
    (...args: Parameters<Relay[M]>) =>
      host.tell('call', port, method, ...args) as ReturnType<Call<M>>;
  const told = Object.fromEntries(
    RELAY_METHODS.map((deed) => [deed, call(deed)]),
  ) as unknown as Pick<FaultProxy, (typeof RELAY_METHODS)[number]>;
  const lose = async (of: 'request' | 'reply', operation: Operation): Promise<PendingLoss> => {
    const happened = call('lossHappened')(await call('loseNext')(of, operation)) as Promise<void>;
    // The loss need not have happened when the relays are closed.
    happened.catch(() => {});
    return { happened };
  };
  const stop = async (): Promise<void> => {
    await told.refuse();
    await told.cut();
  };
  await host.tell('open', port, targetPort, isBlind);
  await told.accept();
  return {
    ...told,
    port,
    connectString: `127.0.0.1:${String(port)}`,
    freeze: async () => {
      await Promise.all([told.freezeTowards('client'), told.freezeTowards('server')]);
    },
    loseNextReply: (operation) => lose('reply', operation),
    loseNextRequest: (operation) => lose('request', operation),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
