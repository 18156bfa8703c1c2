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
import { parseHolderData } from '../nodes/holder-data.js';

export interface BlockerListener {
  /** @param isPlaceFree whether no other node stands in its place in the queue now */
  onBlockerGone(name: string, isPlaceFree: boolean): void;
  /** Called when the node cannot be watched. */
  onBlockerRefused(name: string, error: Error): void;
}

/** A watch on one node. */
interface Watch extends NodeListener {
  /**
   * Whether another node may take its place: a process that downgrades its lock writes to the
   * writer's node first, and other libraries do not say. Undefined until it is read.
   */
  mayPassOn?: boolean;
}

/**
 * Watches on the nodes of other processes that contenders wait for: one for each node, however many
 * contenders wait for it.
 */
export class BlockerWatches {
  readonly #watches = new Map<string, Watch>();

  constructor(
    private readonly session: Session,
    private readonly lease: SessionLease,
    private readonly directory: string,
    private readonly listener: BlockerListener,
  ) {}

  watch(name: string): void {
    if (this.#watches.has(name)) return;
    const watch: Watch = {
      onNodeEvent: (event: NodeEvent | 'gap'): void => {
        if (event === 'deleted') {
          this.#gone(name, watch.mayPassOn === false);
        } else {
          watch.mayPassOn = true;
          this.#set(name, watch);
        }
      },
    };
    this.#watches.set(name, watch);
    this.session.watch(join(this.directory, name), watch);
    this.#set(name, watch);
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

  #set(name: string, watch: Watch): void {
    const { session, lease } = this;
    session.get(lease, join(this.directory, name), { watch: true }).then(
      ({ data, stat }) => {
        watch.mayPassOn ??= stat.version > 0 || parseHolderData(data) === undefined;
      },
      (error: unknown) => {
        if (isConnectionError(error) || !this.#watches.has(name)) return;
        if (hasReturnCode(error, ReturnCode.noNode)) return this.#gone(name, false);
        // Nothing is set: who waits for this node later has to be refused as well.
        this.unwatch(name);
        this.listener.onBlockerRefused(name, error as Error);
      },
    );
  }

  #gone(name: string, isPlaceFree: boolean): void {
    this.unwatch(name);
    this.listener.onBlockerGone(name, isPlaceFree);
  }
}
