import { Grant } from '../grant/grant.js';
import type { NodeGrant } from '../grant/node-grant.js';
import type { GrantedNodes } from '../grant/transact.js';
import type { LockMode } from '../lock/lock.js';
import { MAX_GRANTS } from '../nodes/fencing-token.js';
import type { LockRequest } from '../read-write/read-write-locks.js';
import type { CohortLimits } from '../options/cohort-options.js';
import type { KeptTurn, KeptTurns } from './kept-turns.js';
import type { OtherContenders } from './other-contenders.js';

/** How often the lock's nodes are read again when the answers come too late, on a busy machine. */
const MOST_READS = 3;

/**
 * One of several grants under one node. It is lost together with all others under that node; after
 * its release, it is not affected by what happens to the node.
 */
export class CohortGrant extends Grant {
  /** By the wall clock, to be shown to people. */
  readonly since = Date.now();

  constructor(
    private readonly turn: CohortTurn,
    public mode: LockMode,
    readonly fencingToken: bigint,
    readonly label?: string,
  ) {
    super();
  }

  get key(): string {
    return this.turn.grant.key;
  }

  /** The name of the shared node. */
  get node(): string {
    return this.turn.grant.nodeName;
  }

  override get nodes(): GrantedNodes {
    return this.turn.grant.nodes;
  }

  protected override isValid(): boolean {
    return this.turn.grant.isHeld;
  }

  /** Resolves when the next call is inside, or the node is gone. */
  protected override giveBack(): Promise<void> {
    return this.turn.leave(this);
  }

  protected override stopWriting(): Promise<void> {
    this.mode = 'read';
    return this.turn.downgrade();
  }
}

/**
 * The time during which one node serves grants of this process: one writer, or several readers, at
 * a time. It lasts until its limits are reached, another process asks for the lock, it is lost, or
 * no call is inside. Then it serves no further call, and the node is released with the last call
 * inside.
 *
 * If locks are kept, the turn may outlast the last call inside. While there is no other contender,
 * it is limited only by the range of its fencing tokens.
 */
export class CohortTurn implements KeptTurn {
  readonly #members = new Set<CohortGrant>();
  readonly #since = performance.now();
  #writers = 0;
  #grants = 0;
  #isEnding = false;
  #timer: NodeJS.Timeout | undefined;
  #timeUp: NodeJS.Timeout | undefined;
  readonly #others: OtherContenders | undefined;
  #isKept = false;
  keptSince = 0;
  previous: KeptTurn | undefined;
  next: KeptTurn | undefined;

  /**
   * @param onChange called when a call has left, or no further call is served. Its result resolves
   * when the next call is inside; undefined if there is nothing to wait for
   */
  constructor(
    readonly grant: NodeGrant,
    private readonly limits: CohortLimits,
    private readonly onChange: () => Promise<void> | undefined,
    private readonly kept?: KeptTurns,
  ) {
    this.#others = kept?.watchOthers(grant, this.#onOthers);
    grant.share(grant.mode);
    grant.signal.addEventListener('abort', this.#onLost, { once: true });
    grant.revoked.addEventListener('abort', this.#onRevoked, { once: true });
  }

  get members(): ReadonlySet<CohortGrant> {
    return this.#members;
  }

  get isEmpty(): boolean {
    return this.#members.size === 0;
  }

  /** Whether its node is kept while no call is inside. */
  get isKept(): boolean {
    return this.#isKept;
  }

  /** Whether it will serve a call, immediately or when the calls inside have left. */
  serves({ mode }: LockRequest): boolean {
    const { grant } = this;
    if (this.#isEnding || (mode === 'write' && grant.mode === 'read')) return false;
    // The limits do not apply to the first grant: the node queued for that call.
    const isFirst = this.#grants === 0;
    return (isFirst || this.#mayGoOn()) && grant.isHeld;
  }

  /**
   * Whether {@link readNews} must be called before another call is served: while this process
   * stalled or was cut off, the node may have been deleted and another process may have got the
   * lock.
   */
  get needsNews(): boolean {
    return this.#grants > 0 && !this.#isEnding && !this.grant.hasFreshNews;
  }

  /** Calls `onChange` when its time is up, for a call that it serves but cannot admit yet. */
  tellTimeUp(): void {
    // Its time is not limited while others are absent, and `onChange` is called when they come.
    if (this.#others?.areAbsent) return;
    const msLeft = this.#since + this.limits.maxTenureMs - performance.now();
    this.#timeUp ??= setTimeout(this.#onTimeUp, Math.max(1, Math.ceil(msLeft))).unref();
  }

  /** If the lock turns out not to be held, the turn serves no further call. */
  async readNews(): Promise<void> {
    for (let tries = 0; tries < MOST_READS; tries++) if (await this.grant.readNews()) return;
    this.#isEnding = true;
  }

  excludes(mode: LockMode): boolean {
    return this.#writers > 0 || (mode === 'write' && !this.isEmpty);
  }

  /** Grants the lock to a call that the turn serves and no call inside excludes. */
  admit({ mode, label }: LockRequest): CohortGrant {
    this.#leaveKept();
    const token = this.grant.fencingToken + BigInt(this.#grants++);
    const member = new CohortGrant(this, mode, token, label);
    this.#members.add(member);
    if (mode === 'write') this.#writers++;
    else if (this.grant.mode === 'write') this.#limitReading();
    const { signal, revoked } = this.grant;
    if (revoked.aborted) member.revoke();
    if (signal.aborted) this.#loseMember(member);
    return member;
  }

  async leave(member: CohortGrant): Promise<void> {
    if (!this.#members.delete(member)) return;
    if (member.mode === 'write') this.#writers--;
    const settled = this.onChange();
    if (settled) await settled;
    if (this.isEmpty && !this.#isKept) await this.end();
  }

  /** Keeps the node while no call is inside. Returns false if the node has to be released. */
  keep(): boolean {
    if (!this.#mayBeKept()) return false;
    this.#isKept ||= this.kept?.keep(this) === true;
    return this.#isKept;
  }

  giveBack(): void {
    this.#leaveKept();
    this.#isEnding = true;
    void this.onChange();
  }

  async downgrade(): Promise<void> {
    this.#writers--;
    const downgraded = this.#stopWriting();
    void this.onChange();
    await downgraded;
  }

  /** Releases the node. Idempotent, and never rejects. */
  end(): Promise<void> {
    this.#isEnding = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#timeUp);
    this.#leaveKept();
    this.#others?.stop();
    this.grant.signal.removeEventListener('abort', this.#onLost);
    this.grant.revoked.removeEventListener('abort', this.#onRevoked);
    return this.grant.release();
  }

  #loseMember(member: CohortGrant): void {
    const { reason = 'node-deleted', brokenBy } = this.grant.loss ?? {};
    member.lose(reason, brokenBy);
  }

  #mayGoOn(): boolean {
    const { maxHandovers } = this.limits;
    if (this.grant.revoked.aborted || this.#grants >= MAX_GRANTS) return false;
    if (this.#hasOpenTransaction) return false;
    if (this.#others?.areAbsent) return true;
    if (this.#isKept && !this.#others?.isOwnCertain) return false;
    return this.#grants <= maxHandovers && !this.#isTimeUp();
  }

  /** Whether a transaction is unanswered: it may still be executed while the node exists. */
  get #hasOpenTransaction(): boolean {
    return this.grant.nodes.openTransactions > 0;
  }

  #isTimeUp(): boolean {
    return performance.now() - this.#since >= this.limits.maxTenureMs;
  }

  #mayBeKept(): boolean {
    if (!this.#others || this.#others.arePresent || this.#isEnding) return false;
    if (this.grant.revoked.aborted || this.#grants === 0 || this.#grants >= MAX_GRANTS)
      return false;
    return !this.#hasOpenTransaction && this.grant.isHeld;
  }

  #leaveKept(): void {
    if (!this.#isKept) return;
    this.#isKept = false;
    this.kept?.take(this);
  }

  /** Limits how long readers stay, because their node keeps out the readers of other processes. */
  #limitReading(): void {
    this.#timer ??= setTimeout(this.#onReadLong, this.limits.maxTenureMs).unref();
  }

  readonly #onReadLong = (): void => {
    if (!this.#others?.areAbsent) this.#letReadersIn();
  };

  readonly #onTimeUp = (): void => {
    this.#timeUp = undefined;
    void this.onChange();
  };

  readonly #onOthers = (): void => {
    if (this.#isTimeUp()) this.#letReadersIn();
    void this.onChange();
  };

  #letReadersIn(): void {
    if (this.#writers > 0 || this.isEmpty || this.grant.mode === 'read') return;
    void this.#stopWriting();
  }

  /** Only readers are left, so the node lets readers of other processes in. */
  #stopWriting(): Promise<void> {
    this.grant.share('read');
    return this.grant.unshare('write');
  }

  readonly #onLost = (): void => {
    this.#isEnding = true;
    for (const member of [...this.#members]) this.#loseMember(member);
    void this.onChange();
  };

  readonly #onRevoked = (): void => {
    for (const member of [...this.#members]) member.revoke();
    void this.onChange();
  };
}
