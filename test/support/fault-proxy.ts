import { freePort } from './free-port.js';
import { RelayHost } from './relay-host.js';
import type { RelayAddress } from './relay/relay-process.js';
import type { Towards } from './relay/tcp-relay.js';
import type { Operation, ReplyHeader } from './relay/zookeeper-frames.js';
import type { ZooKeeperRelay } from './relay/zookeeper-relay.js';

type Method = Exclude<keyof ZooKeeperRelay, 'port' | 'targetPort'>;

/** A requested loss, which may not have happened yet. */
export interface PendingLoss<T> {
  readonly happened: Promise<T>;
}

/**
 * A TCP proxy between ZooKeeper clients and a server. Its faults are named by their effects.
 *
 * It runs in a process of its own ({@link RelayHost}), so every call returns a promise, and has
 * taken effect once that resolves. Four-letter words do not pass: send those to the server itself.
 *
 * @example
 * const proxy = await FaultProxy.start(server.port);
 * const loss = await proxy.loseNextReply('create');
 * const locking = locks.acquire('key'); // connected to proxy.connectString
 * await loss.happened; // the server has created the node, and the client does not know
 */
export class FaultProxy implements AsyncDisposable {
  private constructor(
    readonly port: number,
    private readonly host: RelayHost,
    private readonly ownsHost: boolean,
  ) {}

  /**
   * @param targetPort the server's port on 127.0.0.1
   * @param host a process to share with other proxies; without it, it gets one of its own
   */
  static start(targetPort: number, host?: RelayHost): Promise<FaultProxy> {
    return FaultProxy.#start(targetPort, true, host);
  }

  /** For links that don't carry ZooKeeper's client protocol, such as those between servers. */
  static startBlind(targetPort: number, host?: RelayHost): Promise<FaultProxy> {
    return FaultProxy.#start(targetPort, false, host);
  }

  static async #start(
    targetPort: number,
    readsAlong: boolean,
    shared: RelayHost | undefined,
  ): Promise<FaultProxy> {
    const port = await freePort();
    const host = shared ?? (await RelayHost.start());
    const address: RelayAddress = { port, targetPort, readsAlong };
    await host.tell('open', address);
    const proxy = new FaultProxy(port, host, !shared);
    await proxy.accept();
    return proxy;
  }

  get connectString(): string {
    return `127.0.0.1:${String(this.port)}`;
  }

  /** The number of open connections. */
  connections(): Promise<number> {
    return this.#call('connections');
  }

  /**
   * The number of requests of each kind that clients have sent since the last {@link
   * resetCounters}. A `multi` counts as one, and each of its parts counts, too.
   */
  requests(): Promise<Record<Operation, number>> {
    return this.#call('requests');
  }

  /** The number of watch events that the server has sent since the last {@link resetCounters}. */
  notifications(): Promise<number> {
    return this.#call('notifications');
  }

  /** The number of bytes for each end since the last {@link resetCounters}. */
  bytes(): Promise<Record<Towards, number>> {
    return this.#call('bytes');
  }

  resetCounters(): Promise<void> {
    return this.#call('resetCounters');
  }

  /** Resets every connection; new ones are accepted. */
  cut(): Promise<void> {
    return this.#call('cut');
  }

  /** Refuses new connections; open ones stay. */
  refuse(): Promise<void> {
    return this.#call('refuse');
  }

  /** Accepts new connections (again). */
  accept(): Promise<void> {
    return this.#call('accept');
  }

  /** Holds back all bytes in both directions; sockets stay open, and new ones are silent. */
  async freeze(): Promise<void> {
    await Promise.all([this.freezeTowards('client'), this.freezeTowards('server')]);
  }

  /** Holds back all bytes in one direction. */
  freezeTowards(end: Towards): Promise<void> {
    return this.#call('freezeTowards', end);
  }

  /** Passes on all bytes that were held back, and those that follow. */
  thaw(): Promise<void> {
    return this.#call('thaw');
  }

  /** Delays each direction by this time; a round trip takes twice as much longer. */
  delay(ms: number): Promise<void> {
    return this.#call('delay', ms);
  }

  /**
   * Passes the next such request to the server, waits for the answer, drops it and resets the
   * connection: the server has executed the request, and the client cannot know. It may be part of
   * a `multi`, whose answer is then lost.
   */
  loseNextReply(operation: Operation): Promise<PendingLoss<ReplyHeader>> {
    return this.#lose<ReplyHeader>('reply', operation);
  }

  /**
   * Drops the next such request and all that follow. Resets the connection once the server has
   * answered the earlier ones: the server never gets the request.
   */
  loseNextRequest(operation: Operation): Promise<PendingLoss<undefined>> {
    return this.#lose<undefined>('request', operation);
  }

  /** Forgets the losses that have not happened yet. */
  loseNothing(): Promise<void> {
    return this.#call('loseNothing');
  }

  async stop(): Promise<void> {
    if (this.ownsHost) return this.host.stop();
    await this.refuse();
    await this.cut();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #lose<T extends ReplyHeader | undefined>(
    of: 'request' | 'reply',
    operation: Operation,
  ): Promise<PendingLoss<T>> {
    const loss = await this.#call('loseNext', of, operation);
    const happened = this.#call('lossHappened', loss) as Promise<T>;
    // The loss need not have happened when the proxy is stopped.
    happened.catch(() => {});
    return { happened };
  }

  #call<M extends Method>(
    method: M,
    ...args: Parameters<ZooKeeperRelay[M]>
  ): Promise<Awaited<ReturnType<ZooKeeperRelay[M]>>> {
    return this.host.tell('call', this.port, method, ...args) as Promise<
      Awaited<ReturnType<ZooKeeperRelay[M]>>
    >;
  }
}
