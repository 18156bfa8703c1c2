import {
  callAll,
  LazySignal,
  LinkedSignal,
  membersInJson,
  printAsJson,
  type Transaction,
} from 'zk-client/recipes';
import type { LockKind } from '../lock/lock-kind.js';
import {
  LockLostError,
  LockRevokedError,
  type LockLossReason,
  LockReleasedError,
} from '../lock/lock-errors.js';
import { type GrantedNodes, transactUnder } from './transact.js';
import type { Breaker } from '../lock/holder.js';
import type { Lock, LockMode, ReleaseMode } from '../lock/lock.js';
import { LockView } from '../lock/lock-view.js';

type GrantState =
  | { readonly name: 'held' }
  | { readonly name: 'lost'; readonly error: LockLostError }
  | { readonly name: 'released'; readonly done: Promise<void> };

const HELD: GrantState = { name: 'held' };

/**
 * Created here, because until Node 24 a promise retains the async context in which it was created:
 * the shares of a grant that is held on would retain all sections before them.
 */
const DONE = Promise.resolve();

export interface GrantListener {
  /** The grant is lost or released. */
  onGrantEnd(): void;
}

/**
 * What was granted to a call, shared with the calls that join it.
 *
 *     held ──► lost ──► released        held ──► released
 *
 * A lost grant stays lost; its release only cleans up.
 */
export abstract class Grant {
  /** These two are made on request, or when they abort: 10,000 locks may be held. */
  #loss: LazySignal<LockLostError> | undefined;
  #revocation: LazySignal<LockRevokedError> | undefined;
  #listeners: readonly GrantListener[] = [];
  #state = HELD;
  #shares = 0;
  #writers = 0;

  abstract readonly key: string;
  abstract readonly mode: LockKind;
  abstract readonly fencingToken: bigint;

  /** Several grants of a cohort have the same nodes. */
  abstract readonly nodes: GrantedNodes;

  /** Whether the clock says that it is held right now. Calling this may lose it for good. */
  protected abstract isValid(): boolean;
  /** Releases the underlying nodes. Never rejects. */
  protected abstract giveBack(): Promise<void>;

  /** Called when only readers still share a writer's grant. Never rejects. */
  protected stopWriting(): Promise<void> {
    return Promise.resolve();
  }

  /** Aborts with a {@link LockLostError}. */
  get signal(): AbortSignal {
    return (this.#loss ??= new LazySignal()).signal;
  }

  /** Aborts with a {@link LockRevokedError} when another process asks for it. */
  get revoked(): AbortSignal {
    return (this.#revocation ??= new LazySignal()).signal;
  }

  get isReleased(): boolean {
    return this.#state.name === 'released';
  }

  /** Whether it is held right now; false also while the clock cannot tell, after a jump. */
  get isHeld(): boolean {
    return this.isValid() && this.#state.name === 'held';
  }

  /** The error of the loss; undefined also while the clock cannot tell whether it is lost. */
  get loss(): LockLostError | undefined {
    this.isValid();
    return this.#state.name === 'lost' ? this.#state.error : undefined;
  }

  share(mode: LockKind): void {
    this.#shares++;
    if (mode === 'write') this.#writers++;
  }

  /** Gives up one share. The last one releases everything. */
  unshare(mode: LockKind): Promise<void> {
    this.#shares--;
    if (mode === 'write') this.#writers--;
    if (this.#shares === 0) return this.release();
    return this.#writers === 0 && this.mode === 'write' ? this.stopWriting() : DONE;
  }

  /** Idempotent, and never rejects. */
  release(): Promise<void> {
    if (this.#state.name === 'released') return this.#state.done;
    const done = this.giveBack();
    this.#state = { name: 'released', done };
    this.onEnd();
    return done;
  }

  /** @param brokenBy the process that took it away */
  lose(reason: LockLossReason, brokenBy?: Breaker): void {
    if (this.#state.name !== 'held') return;
    const error = new LockLostError(this.key, this.mode, reason, { brokenBy });
    this.#state = { name: 'lost', error };
    this.onEnd();
    (this.#loss ??= new LazySignal()).abort(error);
  }

  revoke(): void {
    if (this.#state.name !== 'held' || this.#revocation?.aborted) return;
    (this.#revocation ??= new LazySignal()).abort(new LockRevokedError(this.key, this.mode));
  }

  /** Calls `listener` once it is no longer held, for whatever reason. */
  listen(listener: GrantListener): void {
    if (this.#state.name === 'held') this.#listeners = this.#listeners.concat(listener);
    else listener.onGrantEnd();
  }

  /** Called when it is lost or released. */
  protected onEnd(): void {
    const listeners = this.#listeners;
    this.#listeners = [];
    callAll(listeners.map((listener) => () => listener.onGrantEnd()));
  }
}

/** One caller's share of a {@link Grant}. */
export class Handle<Kind extends LockKind> implements AsyncDisposable {
  #released: Promise<void> | undefined;

  constructor(
    readonly key: string,
    readonly mode: Kind,
    readonly grant: Grant,
    protected readonly releaseMode: ReleaseMode = 'wait',
  ) {
    grant.share(mode);
  }

  get signal(): AbortSignal {
    return this.grant.signal;
  }

  get isHeld(): boolean {
    return !this.#released && this.grant.isHeld;
  }

  get isReleased(): boolean {
    return this.#released !== undefined;
  }

  assertHeld(): void {
    this.throwIfOver();
    if (!this.grant.isHeld) throw new LockLostError(this.key, this.mode, 'lease-expired');
  }

  /**
   * Resolves when it is certain whether it is held: immediately, except after a jump of the clock.
   */
  async whenCertain(): Promise<void> {
    if (!this.#released) await this.grant.nodes.whenCertain();
  }

  /** Like `assertHeld`, but does not throw while the clock cannot tell whether it is held. */
  throwIfOver(): void {
    if (this.#released) throw new LockReleasedError(this.key, this.mode);
    this.throwIfLost();
  }

  /** Like `throwIfOver`, but does not throw if its own user has released it. */
  throwIfLost(): void {
    if (this.#released) return;
    const { loss } = this.grant;
    if (loss) throw new LockLostError(this.key, this.mode, loss.reason, { cause: loss });
  }

  release(): Promise<void> {
    if (!this.#released) {
      // A listener that is called meanwhile may release it again.
      this.#released = DONE;
      this.#released = this.#release();
    }
    return this.#released;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }

  toJSON(): object {
    return membersInJson(this, 'key', 'mode', 'permits', 'fencingToken', 'isHeld');
  }

  #release(): Promise<void> {
    // Never rejects, and continues in the background.
    const releasing = this.grant.unshare(this.mode);
    return this.releaseMode === 'wait' ? releasing : DONE;
  }
}

printAsJson(Handle);

export class HeldLock extends Handle<LockMode> implements Lock {
  /** @param pattern replaces the key if a caller asks for more than the key's name */
  constructor(
    key: string,
    mode: LockMode,
    grant: Grant,
    release?: ReleaseMode,
    readonly pattern?: string,
  ) {
    super(key, mode, grant, release);
  }

  get fencingToken(): bigint {
    return this.grant.fencingToken;
  }

  get revoked(): AbortSignal {
    return this.grant.revoked;
  }

  transact(build: (tx: Transaction) => unknown): Promise<readonly string[]> {
    return transactUnder([this], build);
  }
}

/** A section that other calls join. */
export interface JoinedSection {
  readonly lock: HeldLock;
  /**
   * The lock as the work in the section sees it. If several locks are held together, it also shows
   * the loss of the others.
   */
  readonly shown: Lock;
}

/**
 * A share of the lock of a section, for a call inside of it. Whatever tells the section to stop
 * tells the call as well: the end of a limited time, or the loss of another lock held with it.
 */
export class JoinedLock extends HeldLock {
  /** Innermost first: an inner one may be released before the outer ones, and before this lock. */
  #sections: readonly JoinedSection[];
  readonly #linked: { signal?: LinkedSignal; revoked?: LinkedSignal } = {};

  constructor(
    key: string,
    mode: LockMode,
    grant: Grant,
    release: ReleaseMode | undefined,
    pattern: string | undefined,
    around: JoinedSection,
  ) {
    super(key, mode, grant, release, pattern);
    const { lock } = around;
    this.#sections = [around, ...(lock instanceof JoinedLock ? lock.#present : [])];
  }

  get around(): JoinedSection | undefined {
    return this.#present[0];
  }

  override get signal(): AbortSignal {
    return this.#linkedTo('signal', super.signal);
  }

  override get revoked(): AbortSignal {
    return this.#linkedTo('revoked', super.revoked);
  }

  override get isHeld(): boolean {
    return super.isHeld && this.#sectionLoss === undefined;
  }

  override throwIfLost(): void {
    super.throwIfLost();
    if (this.#sectionLoss) throw this.#sectionLoss;
  }

  override release(): Promise<void> {
    for (const linked of Object.values(this.#linked)) linked[Symbol.dispose]();
    // Work that restarts itself would retain all that was around it.
    this.#sections = [];
    return super.release();
  }

  /** Those that are not released: a lock that outlives a section does not end with it. */
  get #present(): readonly JoinedSection[] {
    return this.#sections.filter(({ lock }) => !lock.isReleased);
  }

  /** The loss of any lock of a section. Its time may be over as well, which costs no lock. */
  get #sectionLoss(): LockLostError | undefined {
    const reasons = this.#present.map(({ shown }) => LockView.lossReasonOf(shown));
    return reasons.find((reason) => reason instanceof LockLostError);
  }

  #linkedTo(name: 'signal' | 'revoked', own: AbortSignal): AbortSignal {
    const sections = this.#present;
    if (sections.length > 0) {
      this.#linked[name] ??= new LinkedSignal([own, ...sections.map(({ shown }) => shown[name])]);
    }
    return this.#linked[name]?.signal ?? own;
  }
}

interface Share {
  readonly key: string;
  readonly mode: LockMode;
  readonly release?: ReleaseMode;
  readonly pattern?: string;
}

/** The share of a call inside a section that holds the lock. */
export function shareOf(section: JoinedSection, { key, mode, release, pattern }: Share): HeldLock {
  const { lock, shown } = section;
  const { grant } = lock;
  const around = shown instanceof JoinedLock ? shown.around : section;
  if (!around || around.shown === around.lock) {
    return new HeldLock(key, mode, grant, release, pattern);
  }
  return new JoinedLock(key, mode, grant, release, pattern, around);
}
