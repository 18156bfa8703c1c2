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
  onBlockerGone(): void;
  /** Called when the node cannot be watched. */
  onBlockerRefused(name: string, error: Error): void;
}

/**
 * Watches on the nodes of other processes that contenders wait for: one for each node, however many
 * contenders wait for it.
 */
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
      onNodeEvent: (event: NodeEvent | 'gap'): void => {
        if (event === 'deleted') this.#gone(name);
        else this.#set(name);
      },
    };
    this.#watches.set(name, watch);
    this.session.watch(join(this.directory, name), watch);
    this.#set(name);
  }

  unwatch(name: string): void {
    const watch = this.#watches.get(name);
    if (watch) this.session.unwatch(join(this.directory, name), watch);
    this.#watches.delete(name);
  }

  /** Ends the watches that are no longer needed. */
  prune(isWanted: (name: string) => boolean): void {
    for (const name of this.#watches.keys()) if (!isWanted(name)) this.unwatch(name);
  }

  #set(name: string): void {
    const { session, lease } = this;
    session.setWatch(lease, join(this.directory, name)).catch((error: unknown) => {
      if (isConnectionError(error) || !this.#watches.has(name)) return;
      if (hasReturnCode(error, ReturnCode.noNode)) this.#gone(name);
      else this.listener.onBlockerRefused(name, error as Error);
    });
  }

  #gone(name: string): void {
    this.unwatch(name);
    this.listener.onBlockerGone();
  }
}
