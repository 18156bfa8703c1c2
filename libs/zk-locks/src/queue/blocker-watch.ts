import {
  hasReturnCode,
  isConnectionError,
  join,
  type NodeEvent,
  type NodeListener,
  ReturnCode,
} from 'zk-client/recipes';
import { parseHolderData } from '../nodes/holder-data.js';
import type { ListedQueue } from './latest-list.js';

/** Whose contenders wait for nodes of other processes. */
export interface BlockedQueue extends Pick<ListedQueue, 'session' | 'lease' | 'directory'> {
  /** Called when its deletion will be reported from now on. */
  onBlockerWatched(name: string): void;
  /** @param isPlaceFree whether no other node stands in its place in the queue now */
  onBlockerGone(name: string, isPlaceFree: boolean): void;
  /** Called when the node cannot be watched. */
  onBlockerRefused(name: string, error: Error): void;
}

/** A watch on a node of another process, for all contenders that wait for it. */
export class BlockerWatch implements NodeListener {
  readonly #path: string;
  /**
   * Whether another node may take its place: a process that downgrades its lock writes to the
   * writer's node first, and other libraries do not say. Undefined until it is read.
   */
  #mayPassOn: boolean | undefined;
  #isSet = false;
  #isStopped = false;

  constructor(
    private readonly queue: BlockedQueue,
    private readonly name: string,
  ) {
    this.#path = join(queue.directory, name);
    queue.session.watch(this.#path, this);
    this.#set();
  }

  /** Whether its deletion will be reported. */
  get isSet(): boolean {
    return this.#isSet;
  }

  onNodeEvent(event: NodeEvent | 'gap'): void {
    if (event === 'deleted') {
      this.queue.onBlockerGone(this.name, this.#mayPassOn === false);
    } else {
      this.#mayPassOn = true;
      this.#set();
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.queue.session.unwatch(this.#path, this);
  }

  #set(): void {
    const { session, lease } = this.queue;
    session.get(lease, this.#path, { watch: true }).then(
      ({ data, stat }) => {
        this.#mayPassOn ??= stat.version > 0 || parseHolderData(data) === undefined;
        if (this.#isSet || this.#isStopped) return;
        this.#isSet = true;
        this.queue.onBlockerWatched(this.name);
      },
      (error: unknown) => {
        if (isConnectionError(error) || this.#isStopped) return;
        const isGone = hasReturnCode(error, ReturnCode.noNode);
        if (isGone) this.queue.onBlockerGone(this.name, false);
        else this.queue.onBlockerRefused(this.name, error as Error);
      },
    );
  }
}
