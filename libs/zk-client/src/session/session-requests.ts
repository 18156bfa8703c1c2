import { ReturnCode, ZooKeeperError, isConnectionError } from '../port/client-errors.js';
import { nativeCannot } from '../port/native-cannot.js';
import { type Acl, unchangeable } from '../port/user.js';
import type {
  Created,
  CreateMode,
  LastingEvent,
  NewNode,
  NodeContent,
  NodeStat,
  Operation,
  ZooKeeperClient,
} from '../port/zookeeper-client.js';
import { pauseIfThrottled } from './backoff.js';
import type { Clock } from './clock.js';
import { FreshNews } from './fresh-news.js';
import {
  type LastingWatch,
  type LastingWatchListener,
  type NodeListener,
  NodeWatches,
} from './node-watches.js';
import type { SessionLease } from './session-lease.js';
import { checkBytes } from './transaction-bytes.js';

type Send<T> = (client: ZooKeeperClient) => Promise<T>;

/** The caller of a request: what a busy server has refused is not sent again once that is over. */
export interface Caller {
  /** @throws when it is over */
  throwIfOver(): void;
}

const ALWAYS = (): boolean => true;
const NEVER = (): boolean => false;

/**
 * The requests of a session, whose answers count for its lease. Each request takes the lease of the
 * session that it is meant for, and rejects immediately if that session is not connected.
 */
export abstract class SessionRequests {
  protected readonly watches = new NodeWatches();
  readonly news: FreshNews;
  #lasting: LastingWatchListener | undefined;
  /** Hidden from loggers: the id of a digest user can be attacked offline. */
  readonly #acl: Acl | undefined;
  readonly #lockAcl: Acl;

  /**
   * @param isInUse whether anything depends on the session's life now
   * @param acl of the nodes that it creates; undefined if they are open
   */
  constructor(
    private readonly clock: Clock,
    private readonly isInUse: () => boolean,
    acl: Acl | undefined,
  ) {
    this.#acl = acl;
    this.#lockAcl = unchangeable(acl);
    this.news = new FreshNews(clock);
  }

  /** The client of the session of `lease`, while that is connected. */
  protected abstract clientOf(lease: SessionLease): ZooKeeperClient | undefined;

  /**
   * Whether the session of `lease` is connected. Waits as long as it may still be attached to a new
   * connection; false once it is over.
   */
  abstract whenReconnected(lease: SessionLease): Promise<boolean>;

  /**
   * Whether the latest answers in the session of `lease` are recent enough to make decisions
   * without a request.
   */
  hasFreshNews(lease: SessionLease): boolean {
    return this.clientOf(lease) !== undefined && this.news.areFresh;
  }

  /**
   * Reads what has arrived. Returns whether the news are then fresh.
   *
   * @param options `asks`: sends a request if reading alone is not enough
   */
  async readNews(lease: SessionLease, { asks }: { asks: boolean }): Promise<boolean> {
    const client = this.clientOf(lease);
    const ask = (): Promise<void> => this.sync(lease, '/');
    if (client) await this.news.read(client, asks ? ask : undefined);
    return this.hasFreshNews(lease);
  }

  /** The ACL of lock nodes: see {@link unchangeable}. */
  get lockAcl(): Acl {
    return this.#lockAcl;
  }

  /**
   * @param options `onSent`: called whenever it was sent: it is sent again if a server is busy;
   * `caller`: see {@link Caller}
   */
  create(
    lease: SessionLease,
    path: string,
    data: Buffer,
    mode: CreateMode,
    options: NewNode & { onSent?: (() => void) | undefined; caller?: Caller | undefined } = {},
  ): Promise<Created> {
    const node = options.acl ? options : { ...options, acl: this.#acl };
    const send: Send<Created> = (client) => {
      const creating = client.create(path, data, mode, node);
      options.onSent?.();
      return creating;
    };
    return this.write(lease, 'create', path, send, options.caller);
  }

  /** @param options `onSent`: as for {@link create} */
  list(
    lease: SessionLease,
    path: string,
    { watch = false, onSent }: { watch?: boolean; onSent?: () => void } = {},
  ): Promise<string[]> {
    return this.read(lease, 'list', path, (client) => {
      const isNew = watch && !this.watches.areChildrenCovered(path);
      const listing = client.list(path, { watch: isNew });
      onSent?.();
      return listing;
    });
  }

  /** Undefined if the node does not exist. */
  exists(lease: SessionLease, path: string): Promise<NodeStat | undefined> {
    return this.read(lease, 'exists', path, (client) => client.exists(path));
  }

  get(lease: SessionLease, path: string, { watch = false } = {}): Promise<NodeContent> {
    return this.read(lease, 'get', path, (client) =>
      client.get(path, { watch: watch && !this.watches.isNodeCovered(path) }),
    );
  }

  /** @param version the node's expected version. @default any */
  async set(
    lease: SessionLease,
    path: string,
    data: Buffer,
    version?: number,
    caller?: Caller,
  ): Promise<void> {
    const condition = version === undefined ? undefined : { version };
    await this.write(lease, 'set', path, (client) => client.set(path, data, condition), caller);
  }

  delete(lease: SessionLease, path: string, caller?: Caller): Promise<void> {
    return this.write(lease, 'delete', path, (client) => client.delete(path), caller);
  }

  /**
   * Executes all operations at one moment, or none. Executed once at most.
   *
   * @throws {OperationRefusedError} {@link ZkLockConfigError} when it is too long, or the client does
   * not support it
   */
  async transact(
    lease: SessionLease,
    operations: readonly Operation[],
    caller?: Caller,
  ): Promise<readonly string[]> {
    const path = operations[0]?.path ?? '/';
    const complete = operations.map((operation) =>
      operation.type === 'create' ? { acl: this.#acl, ...operation } : operation,
    );
    checkBytes(complete);
    const send: Send<readonly string[]> = (client) =>
      client.transact?.(complete) ?? Promise.reject(nativeCannot('transactions'));
    return this.write(lease, 'transact', path, send, caller);
  }

  sync(lease: SessionLease, path: string): Promise<void> {
    const isProof = (): boolean => !this.isInUse();
    return this.#send(lease, 'sync', path, isProof, (client) => client.sync(path));
  }

  /** Reports events on `path` to `listener`, once `get` or `list` has set a watch there. */
  watch(path: string, listener: NodeListener): void {
    this.watches.add(path, listener);
  }

  /** Stops reporting them; the watch on the server stays. */
  unwatch(path: string, listener: NodeListener): void {
    this.watches.remove(path, listener);
  }

  /** Reports all events to `listener` from now on. There is at most one. */
  setLastingListener(listener: LastingWatchListener): void {
    this.#lasting = listener;
  }

  /** The watch that {@link addWatch} has set on this connection, or is about to set. */
  lastingWatchOn(path: string): LastingWatch | undefined {
    return this.watches.lastingOn(path);
  }

  /** Sets a watch that lasts as long as the connection; see {@link NodeWatches}. */
  async addWatch(lease: SessionLease, path: string, watch: LastingWatch): Promise<void> {
    const unwanted = new Error('The watch was removed, or replaced by one of another kind.');
    // It is sent again if the server was busy, unless it is unwanted by then.
    const throwIfOver = (): void => {
      if (this.watches.lastingOn(path)?.recursive !== watch.recursive) throw unwanted;
    };
    const send: Send<void> = (client) => {
      if (!client.addWatch) return Promise.reject(nativeCannot('lasting watches'));
      this.watches.setLasting(path, watch);
      return client.addWatch(path, watch);
    };
    const added = this.read(lease, 'addWatch', path, send, { throwIfOver }).catch(
      (error: unknown) => {
        if (error !== unwanted) throw error;
      },
    );
    await this.#listenAgain(path, added, () => this.watches.endLasting(path, watch));
  }

  /** Removes the watch that {@link addWatch} has set, if it exists. */
  async removeWatch(lease: SessionLease, path: string): Promise<void> {
    const removed = this.read(lease, 'removeWatches', path, (client) => {
      this.watches.endLasting(path);
      return client.removeWatches?.(path) ?? Promise.reject(nativeCannot('lasting watches'));
    });
    await this.#listenAgain(path, removed);
  }

  /**
   * When the watches of a path have changed, one-shot ones may be gone: their owners set them
   * again.
   */
  async #listenAgain(path: string, change: Promise<void>, onRefused?: () => void): Promise<void> {
    try {
      await change;
    } catch (error) {
      // The next connection has no watches, and reports the gap to all listeners.
      if (isConnectionError(error)) throw error;
      onRefused?.();
      this.watches.fire(path, 'gap');
      throw error;
    }
    this.watches.fire(path, 'gap');
  }

  /** Called when an event has arrived. */
  protected tell(path: string, event: LastingEvent): void {
    if (event !== 'created') this.watches.fire(path, event);
    this.#lasting?.onEvent(path, event);
  }

  /** The leader commits a write, so its answer proves that the session lives. */
  write<T>(
    lease: SessionLease,
    request: string,
    path: string,
    send: Send<T>,
    caller?: Caller,
  ): Promise<T> {
    return this.#send(lease, request, path, ALWAYS, send, caller);
  }

  /** A follower answers reads by itself, so they prove nothing. */
  read<T>(
    lease: SessionLease,
    request: string,
    path: string,
    send: Send<T>,
    caller?: Caller,
  ): Promise<T> {
    return this.#send(lease, request, path, NEVER, send, caller);
  }

  /**
   * @param request the request's name in errors, together with `path`
   * @param isProof whether an answer to this request proves that the session lives
   */
  #send<T>(
    lease: SessionLease,
    request: string,
    path: string,
    isProof: () => boolean,
    send: Send<T>,
    caller?: Caller,
    attempt = 0,
  ): Promise<T> {
    const client = this.#clientOrError(lease, request, path);
    if (client instanceof ZooKeeperError) return Promise.reject(client);
    const sentAt = this.clock.now();
    const sent = { isProof: isProof() };
    return send(client).then(
      (answer) => {
        if (client === this.clientOf(lease)) {
          lease.answered(sentAt, sent);
          this.news.answered(sentAt);
        }
        return answer;
      },
      async (error: unknown) => {
        await pauseIfThrottled(error, attempt);
        caller?.throwIfOver();
        return this.#send(lease, request, path, isProof, send, caller, attempt + 1);
      },
    );
  }

  #clientOrError(
    lease: SessionLease,
    request: string,
    path: string,
  ): ZooKeeperClient | ZooKeeperError {
    if (lease.lossReason) return new ZooKeeperError(ReturnCode.sessionExpired, request, path);
    return this.clientOf(lease) ?? new ZooKeeperError(ReturnCode.invalidState, request, path);
  }
}
