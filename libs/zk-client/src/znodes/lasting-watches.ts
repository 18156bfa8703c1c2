import { callAll, inThisContext } from '../listeners.js';
import { isConnectionError } from '../port/client-errors.js';
import type { LastingEvent } from '../port/zookeeper-client.js';
import type { LastingWatchListener } from '../session/node-watches.js';
import { MAX_PATH_BYTES, parentOf } from '../port/node-path.js';
import type { Session } from '../session/session.js';
import { OVERHEAD_BYTES, type Traffic } from './traffic.js';
import type { ZnodeEvent } from './znode.js';

export interface Subscriber {
  readonly recursive: boolean;
  readonly onEvent: (event: ZnodeEvent) => void;
  readonly onEnd: (error?: Error) => void;
}

type Tell = (watched: string, subscriber: Subscriber, type: LastingEvent, path: string) => void;

/**
 * Lasting watches across connections and sessions. All subscribers of a path share the server's
 * watch, which is set again on each connection.
 */
export class LastingWatches implements LastingWatchListener {
  readonly #subscribers = new Map<string, Set<Subscriber>>();
  /** Those that have been told to read. */
  readonly #hasGap = new WeakSet<Subscriber>();
  /** The number of recursive subscribers of each path that has any. */
  readonly #recursive = new Map<string, number>();
  readonly #stop: () => void;

  constructor(
    private readonly session: Session,
    private readonly traffic: Traffic,
  ) {
    session.setLastingListener(this);
    // Not at the first subscription, whose async context would be kept.
    this.#stop = session.onState(({ name }) => {
      if (name !== 'connected') return;
      for (const path of this.#subscribers.keys()) void this.#settle(path);
    });
  }

  /**
   * Its functions are called in the async context of this call.
   *
   * @returns a function that ends it
   */
  add(path: string, { recursive, onEvent, onEnd }: Subscriber): () => void {
    const calls = { onEvent: inThisContext(onEvent), onEnd: inThisContext(onEnd) };
    const subscriber = { recursive, ...calls };
    const subscribers = this.#subscribers.get(path) ?? new Set();
    this.#subscribers.set(path, subscribers.add(subscriber));
    if (recursive) this.#countRecursive(path, 1);
    void this.#settle(path, [subscriber]);
    return () => this.#remove(path, subscriber);
  }

  /** Notifies all subscribers that nothing more will come. */
  close(): void {
    this.#stop();
    const ended = [...this.#subscribers.values()].flatMap((subscribers) => [...subscribers]);
    this.#subscribers.clear();
    this.#recursive.clear();
    callAll(ended.map((subscriber) => () => subscriber.onEnd()));
  }

  onEvent(path: string, event: LastingEvent): void {
    const calls: (() => void)[] = [];
    const tell: Tell = (watched, subscriber, type, where) => {
      calls.push(this.#call(watched, subscriber, { type, path: where }));
    };
    for (const subscriber of this.#of(path)) {
      // If everything below is watched, it is derived from the events of the children.
      if (event === 'children' ? !this.#isDeep(path) && !subscriber.recursive : true) {
        tell(path, subscriber, event, path);
      }
    }
    if (this.#recursive.size > 0 && event !== 'children') this.#tellAbove(path, event, tell);
    callAll(calls);
  }

  #tellAbove(path: string, event: LastingEvent, tell: Tell): void {
    const parent = parentOf(path);
    // No path is longer that can be watched; a stranger's node may be 100,000 levels below.
    for (let above = path.slice(0, MAX_PATH_BYTES + 1); above !== '/';) {
      above = parentOf(above);
      for (const subscriber of this.#of(above)) {
        if (subscriber.recursive) tell(above, subscriber, event, path);
        else if (above === parent && event !== 'changed' && this.#isDeep(above)) {
          tell(above, subscriber, 'children', above);
        }
      }
    }
  }

  #remove(path: string, subscriber: Subscriber): void {
    const subscribers = this.#subscribers.get(path);
    if (!subscribers?.delete(subscriber)) return;
    if (subscriber.recursive) this.#countRecursive(path, -1);
    if (subscribers.size === 0) this.#subscribers.delete(path);
    if (this.#wanted(path) !== this.#present(path)) void this.#settle(path);
  }

  /**
   * Sets the watch that is needed at the path on the current connection; it is set again on the
   * next one.
   *
   * @param fresh the subscribers that then get a gap. @default all subscribers of the path
   */
  async #settle(path: string, fresh?: readonly Subscriber[]): Promise<void> {
    await this.traffic.enter(OVERHEAD_BYTES);
    try {
      const sent = await this.#send(path);
      const told = sent === 'in another way' ? undefined : fresh;
      const all = told ?? [...this.#of(path)];
      if (sent) callAll(all.map((one) => this.#call(path, one, { type: 'gap', path })));
    } catch (error) {
      if (!isConnectionError(error)) this.#end(path, error as Error);
    } finally {
      this.traffic.leave(OVERHEAD_BYTES);
    }
  }

  /** Undefined if no watch is set. */
  async #send(path: string): Promise<'set' | 'in another way' | undefined> {
    const { session } = this;
    const lease = session.connectedLease;
    if (!lease) return undefined;
    const wanted = this.#wanted(path);
    const present = this.#present(path);
    const isChange = present !== undefined && wanted !== present;
    // Servers since 3.9 would keep both kinds.
    // If a server is busy, the removal is sent again; it must not remove the watch that follows it.
    if (isChange) await session.removeWatch(lease, path).catch(() => undefined);
    const recursive = this.#wanted(path);
    if (recursive === undefined) return undefined;
    await session.addWatch(lease, path, { recursive });
    return isChange ? 'in another way' : 'set';
  }

  /**
   * What tells a subscriber of an event, unless one that is told before it stops it, or its first gap
   * is still to come.
   */
  #call(watched: string, subscriber: Subscriber, event: ZnodeEvent): () => void {
    return () => {
      if (!this.#of(watched).has(subscriber)) return;
      if (event.type === 'gap') this.#hasGap.add(subscriber);
      if (this.#hasGap.has(subscriber)) subscriber.onEvent(event);
    };
  }

  #end(path: string, error: Error): void {
    const ended = [...this.#of(path)];
    for (const subscriber of ended) this.#remove(path, subscriber);
    callAll(ended.map((subscriber) => () => subscriber.onEnd(error)));
  }

  #countRecursive(path: string, change: 1 | -1): void {
    const count = (this.#recursive.get(path) ?? 0) + change;
    if (count > 0) this.#recursive.set(path, count);
    else this.#recursive.delete(path);
  }

  /** Whether any of the subscribers is recursive; undefined without subscribers. */
  #wanted(path: string): boolean | undefined {
    return this.#subscribers.has(path) ? this.#recursive.has(path) : undefined;
  }

  /** Whether the watch on this connection is recursive; undefined without one. */
  #present(path: string): boolean | undefined {
    return this.session.lastingWatchOn(path)?.recursive;
  }

  #isDeep(path: string): boolean {
    return this.#present(path) === true;
  }

  #of(path: string): ReadonlySet<Subscriber> {
    return this.#subscribers.get(path) ?? NO_SUBSCRIBERS;
  }
}

const NO_SUBSCRIBERS: ReadonlySet<Subscriber> = new Set();
