import type { LockMode } from '../lock.js';
import type { LockLossReason, LockLostError } from '../lock-errors.js';
import { MAX_GRANTS } from '../queue/fencing-token.js';
import type { SharedHolding } from '../read-write/shared-holding.js';
import type { CohortLimits } from './cohort-options.js';
import { Member, type MemberGroup } from './member.js';

/** What was granted in ZooKeeper, for as many as one node may serve. */
export interface CohortTurnHolding extends SharedHolding {
  readonly key: string;
  /** Of the node that stands in the queue for it. */
  readonly nodeName: string;
  release(): Promise<void>;
}

/**
 * The time for which one node serves grants of this process: one writer, or several readers, at a
 * time. It lasts until its limits are reached, somebody asks for the lock, it is lost, or nobody is
 * inside; then it serves nobody else, and with the last one inside the node is given back.
 */
export class CohortTurn implements MemberGroup {
  readonly #members = new Set<Member>();
  readonly #since = performance.now();
  #writers = 0;
  #grants = 0;
  #isEnding = false;
  #timer: NodeJS.Timeout | undefined;

  /** @param onChange somebody has left, or nobody else is served any more */
  constructor(
    private readonly holding: CohortTurnHolding,
    private readonly limits: CohortLimits,
    private readonly onChange: () => void,
  ) {
    holding.share(holding.mode);
    holding.signal.addEventListener('abort', this.#onLost, { once: true });
    holding.revoked.addEventListener('abort', this.#onRevoked, { once: true });
  }

  get key(): string {
    return this.holding.key;
  }

  get node(): string {
    return this.holding.nodeName;
  }

  get loss(): LockLostError | undefined {
    return this.holding.loss;
  }

  get members(): Iterable<Member> {
    return this.#members;
  }

  get isEmpty(): boolean {
    return this.#members.size === 0;
  }

  whenCertain(): Promise<void> {
    return this.holding.whenCertain();
  }

  /** Whether it will serve a call in this mode, be it now or when those inside have left. */
  serves(mode: LockMode): boolean {
    const { holding } = this;
    if (this.#isEnding || (mode === 'write' && holding.mode === 'read')) return false;
    // Whatever has happened by now, its node has stood in the queue for somebody.
    const isFirst = this.#grants === 0;
    return (isFirst || this.#mayGoOn()) && holding.loss === undefined;
  }

  /** Whether somebody inside keeps out a call in this mode. */
  excludes(mode: LockMode): boolean {
    return this.#writers > 0 || (mode === 'write' && !this.isEmpty);
  }

  /** The next grant under the node, to a call that it serves and nobody inside excludes. */
  admit(mode: LockMode, label?: string): Member {
    const token = this.holding.fencingToken + BigInt(this.#grants++);
    const member = new Member(this, mode, token, label);
    this.#members.add(member);
    if (mode === 'write') this.#writers++;
    else if (this.holding.mode === 'write') this.#limitReading();
    const { signal, revoked } = this.holding;
    if (revoked.aborted) member.revoke();
    if (signal.aborted) member.lose(this.#lossReason);
    return member;
  }

  async leave(member: Member): Promise<void> {
    if (!this.#members.delete(member)) return;
    if (member.mode === 'write') this.#writers--;
    this.onChange();
    if (this.isEmpty) await this.end();
  }

  async downgrade(): Promise<void> {
    this.#writers--;
    const downgraded = this.#stopWriting();
    this.onChange();
    await downgraded;
  }

  /** Gives the node back. Idempotent, and never rejects. */
  end(): Promise<void> {
    this.#isEnding = true;
    clearTimeout(this.#timer);
    this.holding.signal.removeEventListener('abort', this.#onLost);
    this.holding.revoked.removeEventListener('abort', this.#onRevoked);
    return this.holding.release();
  }

  get #lossReason(): LockLossReason {
    return this.holding.loss?.reason ?? 'node-deleted';
  }

  #mayGoOn(): boolean {
    const { maxHandovers, maxTenureMs } = this.limits;
    if (this.holding.revoked.aborted) return false;
    if (this.#grants > maxHandovers || this.#grants >= MAX_GRANTS) return false;
    return performance.now() - this.#since < maxTenureMs;
  }

  /** Readers may stay for long, under a node that keeps out the readers of others. */
  #limitReading(): void {
    this.#timer ??= setTimeout(this.#onTimeUp, this.limits.maxTenureMs).unref();
  }

  readonly #onTimeUp = (): void => {
    if (this.#writers > 0 || this.isEmpty || this.holding.mode === 'read') return;
    void this.#stopWriting();
  };

  /** Only readers are left: those of other processes may come in beside them. */
  #stopWriting(): Promise<void> {
    this.holding.share('read');
    return this.holding.unshare('write');
  }

  readonly #onLost = (): void => {
    this.#isEnding = true;
    const reason = this.#lossReason;
    for (const member of [...this.#members]) member.lose(reason);
    this.onChange();
  };

  readonly #onRevoked = (): void => {
    for (const member of [...this.#members]) member.revoke();
    this.onChange();
  };
}
