import { callAll } from '../session/call-all.js';
import type { LockMode } from '../lock.js';
import { LockLostError, LockRevokedError, type LockLossReason } from '../lock-errors.js';
import { LazySignal } from '../queue/lazy-signal.js';
import type { SharedHolding } from '../read-write/shared-holding.js';

/** Those who are inside under one node. */
export interface MemberGroup {
  readonly key: string;
  /** The name of the node. */
  readonly node: string;
  readonly loss: LockLostError | undefined;
  whenCertain(): Promise<void>;
  /** Resolves when the next one is inside, or the node is gone. Never rejects. */
  leave(member: Member): Promise<void>;
  /** The last of a writer's shares are readers'. */
  downgrade(): Promise<void>;
}

type MemberState =
  | { readonly name: 'held' }
  | { readonly name: 'lost'; readonly error: LockLostError }
  | { readonly name: 'released'; readonly left: Promise<void> };

const HELD: MemberState = { name: 'held' };

/**
 * One grant of several under one node.
 *
 * `held` ends in `lost`, together with all others under the node, or in `released`. What happens to
 * the node after the release is nothing to it any more.
 */
export class Member implements SharedHolding {
  #readers = 0;
  #writers = 0;
  #state = HELD;
  /** By the wall clock, for people. */
  readonly since = Date.now();
  #onSettled: (() => void)[] = [];
  readonly #loss = new LazySignal<LockLostError>();
  readonly #revocation = new LazySignal<LockRevokedError>();

  constructor(
    private readonly group: MemberGroup,
    private currentMode: LockMode,
    readonly fencingToken: bigint,
    readonly label?: string,
  ) {}

  get mode(): LockMode {
    return this.currentMode;
  }

  /** The name of the node that it is under. */
  get node(): string {
    return this.group.node;
  }

  get signal(): AbortSignal {
    return this.#loss.signal;
  }

  get revoked(): AbortSignal {
    return this.#revocation.signal;
  }

  get isReleased(): boolean {
    return this.#state.name === 'released';
  }

  get loss(): LockLostError | undefined {
    // Asking may end the lease, and with it this grant.
    const { loss } = this.group;
    if (this.#state.name === 'lost') return this.#state.error;
    return loss && this.#newLoss(loss.reason);
  }

  whenCertain(): Promise<void> {
    return this.group.whenCertain();
  }

  share(mode: LockMode): void {
    if (mode === 'read') this.#readers++;
    else this.#writers++;
  }

  async unshare(mode: LockMode): Promise<void> {
    if (mode === 'read') this.#readers--;
    else this.#writers--;
    if (this.#writers > 0) return;
    if (this.#readers === 0) await this.release();
    else if (this.currentMode === 'write') {
      this.currentMode = 'read';
      await this.group.downgrade();
    }
  }

  /** Lets the next one in, or gives the lock back. Idempotent, and never rejects. */
  release(): Promise<void> {
    if (this.#state.name === 'released') return this.#state.left;
    const left = this.group.leave(this);
    this.#state = { name: 'released', left };
    this.#settle();
    return left;
  }

  lose(reason: LockLossReason): void {
    if (this.#state.name !== 'held') return;
    const error = this.#newLoss(reason);
    this.#state = { name: 'lost', error };
    this.#settle();
    this.#loss.abort(error);
  }

  revoke(): void {
    if (this.#state.name !== 'held' || this.#revocation.aborted) return;
    this.#revocation.abort(new LockRevokedError(this.group.key, this.currentMode));
  }

  onSettled(listener: () => void): void {
    if (this.#state.name === 'held') this.#onSettled.push(listener);
    else listener();
  }

  #newLoss(reason: LockLossReason): LockLostError {
    return new LockLostError(this.group.key, this.currentMode, reason);
  }

  #settle(): void {
    callAll(this.#onSettled.splice(0));
  }
}
