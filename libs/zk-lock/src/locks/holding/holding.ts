import { hasReturnCode, ReturnCode } from '../../client/client-errors.js';
import type { NodeListener } from '../../session/node-watches.js';
import type { Session } from '../../session/session.js';
import type { SessionLease } from '../../session/session-lease.js';
import { LockLostError, type LockLossReason } from '../lock-errors.js';
import type { LockMode } from '../lock.js';
import type { NodeReaper } from '../queue/node-reaper.js';
import { persist } from '../queue/persist.js';

export interface HoldingContext {
  readonly session: Session;
  readonly reaper: NodeReaper;
  readonly lease: SessionLease;
  readonly path: string;
  readonly key: string;
  readonly mode: LockMode;
}

type HoldingState =
  | { readonly name: 'held' }
  | { readonly name: 'lost'; readonly error: LockLostError }
  | { readonly name: 'released'; readonly removal: Promise<void> };

/**
 * One znode that holds a lock, and whoever in this process shares it.
 *
 * `held` ends in `lost` (its session's lease is over, its node was deleted, the service closed) or in
 * `released` (the last of those who share it let go). A lost holding stays lost; when it is let go,
 * what may be left of its node is removed.
 */
export class Holding {
  readonly #loss = new AbortController();
  #stopWatching = (): void => undefined;
  #stopListening = (): void => undefined;
  readonly #onSettled = new Set<() => void>();
  #state: HoldingState = { name: 'held' };
  #fencingToken: bigint | undefined;
  #sharers = 0;

  constructor(private readonly context: HoldingContext) {
    const { session, lease, path } = context;
    this.#stopWatching = session.watch(path, this.#onNode);
    this.#stopListening = lease.onEnd((reason) => this.lose(reason));
  }

  get mode(): LockMode {
    return this.context.mode;
  }

  /** Aborts with a {@link LockLostError}. */
  get signal(): AbortSignal {
    return this.#loss.signal;
  }

  get fencingToken(): bigint {
    return this.#fencingToken ?? 0n;
  }

  get isReleased(): boolean {
    return this.#state.name === 'released';
  }

  /** The loss, decided by the clock at this moment; undefined while the lock is held. */
  get loss(): LockLostError | undefined {
    // Asking may end the lease, and with it this holding.
    const isValid = this.context.lease.isValid();
    if (this.#state.name === 'lost') return this.#state.error;
    return isValid ? undefined : this.#newLoss('lease-expired');
  }

  /**
   * Reads the znode: its czxid is the fencing token, and the watch tells of its deletion from now on.
   * False when the node is gone, or is not this session's.
   *
   * @throws {SessionOverError} when the session ends first
   */
  async confirm(): Promise<boolean> {
    const { session, lease, path } = this.context;
    let isConfirmed = false;
    try {
      const read = () => session.get(lease, path, { watch: true });
      const { stat } = await persist(session, lease, read);
      this.#fencingToken = stat.czxid;
      await lease.whenCertain();
      isConfirmed = stat.ephemeralOwner === lease.sessionId && this.loss === undefined;
    } catch (error) {
      if (!hasReturnCode(error, ReturnCode.noNode)) throw error;
    } finally {
      if (!isConfirmed) this.#settle();
    }
    return isConfirmed;
  }

  share(): void {
    this.#sharers++;
  }

  /** Lets go of one share; with the last one the znode is removed. */
  async unshare(): Promise<void> {
    this.#sharers--;
    if (this.#sharers > 0) return;
    if (this.#state.name !== 'released') {
      const { reaper, lease, path } = this.context;
      this.#state = { name: 'released', removal: reaper.remove(lease, path) };
      this.#settle();
    }
    await this.#state.removal;
  }

  lose(reason: LockLossReason): void {
    if (this.#state.name !== 'held') return;
    const error = this.#newLoss(reason);
    this.#state = { name: 'lost', error };
    this.#settle();
    this.#loss.abort(error);
  }

  /** Calls `listener` once the lock is no longer held, for whichever reason. */
  onSettled(listener: () => void): void {
    if (this.#state.name === 'held') this.#onSettled.add(listener);
    else listener();
  }

  #newLoss(reason: LockLossReason): LockLostError {
    return new LockLostError(this.context.key, this.context.mode, reason);
  }

  readonly #onNode: NodeListener = (event) => {
    if (event === 'deleted') this.lose('node-deleted');
    else void this.#recheck();
  };

  /** After a change of the node, which used up the watch, or a gap in which events may be missing. */
  async #recheck(): Promise<void> {
    const { session, lease, path } = this.context;
    try {
      const { stat } = await session.get(lease, path, { watch: true });
      if (this.#fencingToken !== undefined && stat.czxid !== this.#fencingToken) {
        this.lose('node-deleted');
      }
    } catch (error) {
      if (hasReturnCode(error, ReturnCode.noNode)) this.lose('node-deleted');
    }
  }

  #settle(): void {
    this.#stopWatching();
    this.#stopListening();
    for (const listener of this.#onSettled) listener();
    this.#onSettled.clear();
  }
}
