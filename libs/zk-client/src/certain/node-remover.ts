import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { hasReturnCode, isConnectionError, ReturnCode } from '../port/client-errors.js';
import { nameOf } from '../port/node-path.js';
import { newSharedController } from '../listeners.js';
import type { Session } from '../session/session.js';
import type { SessionLease } from '../session/session-lease.js';
import { uncountNode } from './session-nodes.js';
import type { ZkLockLogger } from '../logger.js';
import { LateNodes } from './late-nodes.js';

/** The pause between attempts to delete a node that the server refuses to delete. */
const REFUSED_RETRY_MS = 5_000;

/** After this many refusals for one node, its session is sacrificed to unblock the key. */
const MAX_REFUSALS = 3;

/**
 * Why a node is removed: its grant was released; or it was never granted, or another node of the same
 * holder replaces it in the queue.
 */
export type Removal = 'granted' | 'unused';

/** The queue of a directory. */
export interface RemovalListener {
  /** Called when the deletion of a node was sent. */
  onRemoving(name: string, removal: Removal): void;
  /** Called when the node is gone. */
  onRemoved(name: string, removal: Removal): void;
  /** Called when the server refuses the deletion, which will be retried. */
  onRemovalRefused(name: string): void;
}

export interface RemovalListeners {
  /** The queue that contains a node, in the session of `lease`, if this process uses it. */
  find(lease: SessionLease, path: string): RemovalListener | undefined;
}

type Outcome = 'gone' | 'unanswered' | 'refused';

/** A node that is being removed. */
interface Removing {
  readonly lease: SessionLease;
  readonly path: string;
  removal: Removal;
  /** The path by which it counts among the session's nodes. */
  readonly counted: string;
  /** Requests its deletion; may be called repeatedly. */
  readonly send: () => Promise<void>;
}

/**
 * Deletes znodes for certain: each deletion is retried until the node is gone or its session has
 * ended, which has the same effect (Curator's "guaranteed" delete). If the server keeps refusing,
 * the session is ended for that purpose, once nothing else is held in it. Nothing here ever
 * rejects.
 */
export class NodeRemover {
  /** The number of nodes that are not known to be gone yet. */
  #open = 0;
  readonly #onIdle: (() => void)[] = [];
  readonly #stopped = newSharedController();
  readonly #late: LateNodes;

  constructor(
    private readonly session: Session,
    private readonly logger: ZkLockLogger,
    private readonly listeners: RemovalListeners,
    private readonly isHolding: () => boolean,
    lateCreateTimeoutMs: number,
  ) {
    const remove = (lease: SessionLease, path: string): void => void this.remove(lease, path);
    this.#late = new LateNodes(session, lateCreateTimeoutMs, remove);
  }

  /**
   * Resolves when the node is gone, or its deletion continues in the background.
   *
   * @param options see {@link Removing}; by default, it deletes and uncounts `path`
   */
  remove(
    lease: SessionLease,
    path: string,
    removal: Removal = 'unused',
    {
      counted = path,
      send = () => this.session.delete(lease, path),
    }: Partial<Pick<Removing, 'counted' | 'send'>> = {},
  ): Promise<void> {
    this.#open++;
    const node = { lease, path, removal, counted, send };
    return this.#send(node).then(
      () => this.#settle(node),
      (error: unknown) => void this.#repeat(node, this.#outcomeOf(error, node)),
    );
  }

  /** Removes the node that an abandoned creation may still produce. */
  adopt(lease: SessionLease, creating: Promise<{ path: string }>): void {
    this.#open++;
    void creating
      .then(
        ({ path }) => this.remove(lease, path),
        () => undefined,
      )
      .then(() => this.#countDown());
  }

  /**
   * Removes a node that was requested but is not visible, if it appears late; see
   * {@link LateNodes}.
   *
   * @param name the whole name, or the part before its sequence number; no longer in use
   * @param remove by default, removes only the node
   */
  expectLate(lease: SessionLease, directory: string, name: string, remove?: () => void): void {
    this.#late.expect(lease, directory, name, remove);
  }

  /** Resolves when nothing is left to delete. */
  async whenIdle(): Promise<void> {
    while (this.#open > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }

  /** Gives up the remaining deletions: the session is about to be closed. */
  stop(): void {
    this.#late.stop();
    this.#stopped.abort();
  }

  #send(node: Removing): Promise<void> {
    const { lease, path, removal } = node;
    const deletion = node.send();
    this.listeners.find(lease, path)?.onRemoving(nameOf(path), removal);
    return deletion;
  }

  #outcomeOf(error: unknown, { lease, path }: Removing): Outcome {
    if (hasReturnCode(error, ReturnCode.noNode)) return 'gone';
    if (isConnectionError(error)) return 'unanswered';
    this.logger.error(
      `Cannot delete the lock node ${path}, so its lock remains held until its session ends: ${String(error)} Check that this client may delete nodes of the directory.`,
    );
    this.listeners.find(lease, path)?.onRemovalRefused(nameOf(path));
    return 'refused';
  }

  async #repeat(node: Removing, first: Outcome): Promise<void> {
    let refusals = 0;
    let outcome = first;
    while (outcome !== 'gone') {
      if (outcome === 'refused') {
        // The node must not count as gone a second time; its session has to become idle.
        node.removal = 'unused';
        if (++refusals >= MAX_REFUSALS && !this.isHolding()) {
          this.#endSession(node);
          break;
        }
        await this.#pause();
      }
      // A connection that is about to be given up may still look alive in this turn.
      else await nextTurn();
      if (this.#stopped.signal.aborted || !(await this.session.whenReconnected(node.lease))) break;
      outcome = await this.#send(node).then(
        () => 'gone',
        (error: unknown) => this.#outcomeOf(error, node),
      );
    }
    this.#settle(node);
  }

  #endSession({ lease, path }: Removing): void {
    this.logger.warn(
      `Ending the ZooKeeper session, which holds nothing, because there is no other way to remove ${path}.`,
    );
    this.session.giveUp(lease);
  }

  async #pause(): Promise<void> {
    const { signal } = this.#stopped;
    await sleep(REFUSED_RETRY_MS, undefined, { signal }).catch(() => undefined);
  }

  /**
   * Called when the node is gone, by itself or with its session, or is given up with the session.
   */
  #settle({ lease, path, removal, counted }: Removing): void {
    this.listeners.find(lease, path)?.onRemoved(nameOf(path), removal);
    uncountNode(lease, counted);
    this.#countDown();
  }

  /** Counts one removal less; resolves the calls that wait for the last one. */
  #countDown(): void {
    this.#open--;
    if (this.#open === 0) for (const tell of this.#onIdle.splice(0)) tell();
  }
}
