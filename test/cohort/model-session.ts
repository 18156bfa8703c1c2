import { ReturnCode, ZooKeeperError } from '../../libs/zk-client/src/port/client-errors.js';
import type { KeptSession } from '../../libs/zk-locks/src/cohort/kept-turns.js';
import type { NodeListener } from '../../libs/zk-client/src/session/node-watches.js';
import type { SessionLease } from '../../libs/zk-client/src/session/session-lease.js';
import type { SessionState } from '../../libs/zk-client/src/session/session-state.js';
import type { Queue } from './model-queue.js';

interface Request {
  readonly execute: () => void;
  readonly fail: () => void;
}

interface News {
  readonly tell: () => void;
  /** The connection is lost first. */
  readonly fail?: () => void;
}

/**
 * The session of a cohort: one directory, on which a list sets a watch. Requests are executed some
 * time after they are sent; answers and events arrive some time after that, in one order.
 */
export class ModelSession implements KeptSession {
  readonly lease = {} as SessionLease;
  readonly #listeners = new Set<NodeListener>();
  #onState: (state: SessionState) => void = () => undefined;
  #onConnected: (() => void)[] = [];
  #isConnected = true;
  #hasStalled = false;
  #requests: Request[] = [];
  #news: News[] = [];
  #isWatching = false;
  /** Whether the latest news on this connection was a watched list of one node. */
  #isToldAlone = false;

  constructor(private readonly queue: Queue) {
    queue.onChange = () => {
      if (!this.#isWatching) return;
      this.#isWatching = false;
      const tell = (): void => {
        this.#isToldAlone = false;
        for (const listener of [...this.#listeners]) listener.onNodeEvent('children');
      };
      this.#news.push({ tell });
    };
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** Whether it knows that its node is the only one, and would be told of the next one. */
  get isToldAlone(): boolean {
    return this.#isConnected && this.#isToldAlone;
  }

  get connectedLease(): SessionLease | undefined {
    return this.#isConnected ? this.lease : undefined;
  }

  onState(onState: (state: SessionState) => void): () => void {
    this.#onState = onState;
    return () => undefined;
  }

  watch(_path: string, listener: NodeListener): void {
    this.#listeners.add(listener);
  }

  unwatch(_path: string, listener: NodeListener): void {
    this.#listeners.delete(listener);
  }

  list(_lease: SessionLease, path: string, { watch = false } = {}): Promise<string[]> {
    return new Promise((resolve, reject) => {
      const fail = (): void => reject(new ZooKeeperError(ReturnCode.connectionLoss, 'list', path));
      if (!this.#isConnected) return fail();
      const execute = (): void => {
        const names = this.queue.nodes.map(({ name }) => name);
        if (watch) this.#isWatching = true;
        const tell = (): void => {
          this.#isToldAlone = watch && names.length === 1;
          resolve(names);
        };
        this.#news.push({ tell, fail });
      };
      this.#requests.push({ execute, fail });
    });
  }

  /** Runs callbacks that wait for a connection; at once if there is one. */
  whenConnected(work: () => void): void {
    if (this.#isConnected) work();
    else this.#onConnected.push(work);
  }

  /** The answer to a request sent now. */
  hear(tell: () => void): void {
    this.#requests.push({ execute: () => this.#news.push({ tell }), fail: () => undefined });
  }

  serverWorks(): void {
    for (const { execute } of this.#requests.splice(0)) execute();
  }

  newsArrive(most = Infinity): void {
    for (const { tell } of this.#news.splice(0, most)) tell();
    if (this.#news.length === 0) this.#hasStalled = false;
  }

  /** The process stands still, and has not read since what has come meanwhile. */
  stall(): void {
    this.#hasStalled = true;
  }

  get hasFreshNews(): boolean {
    return this.#isConnected && !this.#hasStalled;
  }

  async readNews(): Promise<boolean> {
    if (!this.#isConnected) return false;
    await new Promise((resolve) => setImmediate(resolve));
    // It may have been cut off meanwhile.
    const isConnected = (): boolean => this.#isConnected;
    if (isConnected()) this.newsArrive();
    return this.hasFreshNews;
  }

  /** An event that needs no request. */
  tell(tell: () => void): void {
    this.#news.push({ tell });
  }

  get isBusy(): boolean {
    return this.#requests.length + this.#news.length > 0;
  }

  disconnect(): void {
    if (!this.#isConnected) return;
    this.#isConnected = this.#isToldAlone = this.#isWatching = false;
    for (const { fail } of [...this.#news.splice(0), ...this.#requests.splice(0)]) fail?.();
    this.#onState({ name: 'suspended', sessionId: '1', since: new Date() });
  }

  /** @param onState called while the state is announced, before the gap is */
  reconnect(onState: () => void = () => undefined): void {
    if (this.#isConnected) return;
    this.#isConnected = true;
    this.#onState({ name: 'connected', sessionId: '1', timeoutMs: 1_000 });
    onState();
    for (const listener of [...this.#listeners]) listener.onNodeEvent('gap');
    for (const work of this.#onConnected.splice(0)) work();
  }
}
