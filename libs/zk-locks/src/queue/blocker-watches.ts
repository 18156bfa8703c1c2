import {
  hasReturnCode,
  isConnectionError,
  join,
  type NodeEvent,
  type NodeListener,
  ReturnCode,
  type Session,
  type SessionLease,
} from 'zk-client/recipes';

export interface BlockerListener {
  onBlockerGone(name: string): void;
  /** The node cannot be watched. */
  onBlockerRefused(name: string, error: Error): void;
}

/** Watches on the nodes of a directory that contenders wait for: one for each, however many wait. */
export class BlockerWatches {
  readonly #watches = new Map<string, NodeListener>();

  constructor(
    private readonly session: Session,
    private readonly lease: SessionLease,
    private readonly directory: string,
    private readonly listener: BlockerListener,
  ) {}

  watch(name: string): void {
    if (this.#watches.has(name)) return;
    const watch = {
      onNodeEvent: (event: NodeEvent | 'gap'): void => this.#onEvent(name, event),
    };
    this.#watches.set(name, watch);
    this.session.watch(this.#path(name), watch);
    this.#set(name);
  }

  unwatch(name: string): void {
    const watch = this.#watches.get(name);
    if (!watch) return;
    this.#watches.delete(name);
    this.session.unwatch(this.#path(name), watch);
  }

  /** Ends those that are not wanted any more. */
  prune(isWanted: (name: string) => boolean): void {
    for (const name of [...this.#watches.keys()]) if (!isWanted(name)) this.unwatch(name);
  }

  #onEvent(name: string, event: NodeEvent | 'gap'): void {
    if (event === 'deleted') this.listener.onBlockerGone(name);
    else this.#set(name);
  }

  #set(name: string): void {
    const { session, lease } = this;
    session.setWatch(lease, this.#path(name)).catch((error: unknown) => {
      if (isConnectionError(error) || !this.#watches.has(name)) return;
      if (hasReturnCode(error, ReturnCode.noNode)) this.listener.onBlockerGone(name);
      else this.listener.onBlockerRefused(name, error as Error);
    });
  }

  #path(name: string): string {
    return join(this.directory, name);
  }
}
