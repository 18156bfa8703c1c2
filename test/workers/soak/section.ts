import { setTimeout as sleep } from 'node:timers/promises';
import type { Lock, LockLostError } from 'zk-locks';
import { machineTime, type Journal } from './journal.js';
import type { Access, LockKind, Run } from './protocol.js';
import type { Random } from './random.js';
import type { Fenced } from './resource-client.js';
import type { StallWatch } from './stall-watch.js';

/** The common part of locks, permits and terms of leadership. */
export interface Held {
  readonly signal: AbortSignal;
  readonly revoked?: AbortSignal;
  readonly isHeld: boolean;
  readonly fencingToken?: bigint;
  readonly transact?: Lock['transact'];
}

export interface Entrance {
  readonly key: string;
  readonly kind: LockKind;
  readonly access: Access;
  readonly permits?: number;
  /** @default a new holding */
  readonly holding?: number;
  /** The call whose position in its process's queue it has. */
  readonly wait?: number;
  /** Whether the token reflects its position in the queue. @default true */
  readonly queued?: boolean;
  readonly run?: Run;
}

/** How often holders check their locks by default. */
const STEP_MS = 3;
/** How often a holder writes to the journal while it stays: its process may be killed. */
const NOTE_EVERY_MS = 100;
/** The percentage of writes without a check, as in careless code. */
const CARELESS_PERCENT = 20;
/** The percentage of writes that go to ZooKeeper instead of the resource, if that is possible. */
const GUARDED_PERCENT = 10;
/**
 * The percentage of these whose answer is not awaited: the lock may be released before it arrives.
 */
const HASTY_PERCENT = 20;
/**
 * Errors of such a write: it was not executed, or is executed only while the lock's node exists.
 */
const NOT_WRITTEN = ['LOCK_LOST', 'LOCK_TRANSACTION_UNKNOWN'];
/** A further error of writes whose answer is not awaited. */
const OUTRUN = ['LOCK_RELEASED'];

/** The context of a worker's critical sections. */
export interface SectionContext {
  readonly journal: Journal;
  readonly resource: Fenced;
  readonly stalls: Pick<StallWatch, 'look'>;
  readonly random: Random;
  /** Until when holders keep their locks, in milliseconds of the machine's clock. */
  clingUntil: number;
  readonly inside: Set<Section>;
  /** How often holders check their locks, in milliseconds. */
  readonly stepMs?: number;
  /** How long before the end of its lease a lock counts as lost, in milliseconds. @default 0 */
  readonly marginMs?: number | undefined;
  /** Whether locks are granted in the order of their tokens. */
  readonly isFair: boolean;
  /** The root with a directory per key for writes that need the lock to be held. */
  readonly guarded?: string | undefined;
  /** The percentage of such writes. @default 10 */
  readonly guardedPercent?: number;
}

/**
 * A grant from the holder's point of view, and its work.
 *
 * Its entries are certain: after each time that they name, the lock claimed to be held. A process
 * may be stopped between any two statements, so the time is taken before the lock is asked.
 */
export class Section {
  readonly grant: number;
  readonly holding: number;
  #heldAt: number;
  #notedAt: number;
  #left = false;

  private constructor(
    private readonly context: SectionContext,
    private readonly held: Held,
    private readonly entrance: Entrance,
    at: number,
  ) {
    const { journal, isFair, marginMs = 0 } = context;
    const { key, kind, access, permits, holding, wait, run } = entrance;
    const queued = isFair && entrance.queued !== false;
    this.grant = journal.nextNumber();
    this.holding = holding ?? this.grant;
    this.#heldAt = this.#notedAt = at;
    journal.note({
      ...{ type: 'entered', grant: this.grant, holding: this.holding, key, kind, access, queued },
      ...(permits === undefined ? {} : { permits }),
      ...(wait === undefined ? {} : { wait }),
      ...(marginMs === 0 ? {} : { marginMs }),
      ...(run === undefined ? {} : { run }),
      ...(held.fencingToken === undefined ? {} : { token: String(held.fencingToken) }),
      at,
    });
    context.inside.add(this);
    held.signal.addEventListener('abort', () => this.#onTold(), { once: true });
    if (held.signal.aborted) this.#onTold();
    held.revoked?.addEventListener('abort', () => this.#onAskedBack(), { once: true });
    if (held.revoked?.aborted === true) this.#onAskedBack();
  }

  /** @returns undefined if the lock was lost before the section began */
  static enter(context: SectionContext, held: Held, entrance: Entrance): Section | undefined {
    const at = machineTime();
    return held.isHeld ? new Section(context, held, entrance, at) : undefined;
  }

  get isExclusive(): boolean {
    return this.entrance.access === 'exclusive';
  }

  /** Works for this long, or until the lock is lost. With a margin, it then takes time to stop. */
  async work(ms: number): Promise<void> {
    await this.#workWhileHeld(ms);
    const { random, marginMs = 0 } = this.context;
    if (marginMs > 0 && this.held.signal.aborted) await sleep(random.between(0, marginMs));
  }

  async #workWhileHeld(ms: number): Promise<void> {
    const until = machineTime() + ms;
    for (;;) {
      const isCareless = this.isExclusive && this.context.random.chance(CARELESS_PERCENT);
      if (!isCareless && !this.confirm()) return;
      if (this.isExclusive) await this.#write();
      if (this.held.signal.aborted) return;
      const restMs = Math.max(until, this.context.clingUntil) - machineTime();
      if (restMs <= 0) return;
      await sleep(Math.min(this.context.stepMs ?? STEP_MS, Math.max(restMs, STEP_MS)));
    }
  }

  /** Asks the lock whether it is held, and remembers the time before that. */
  confirm(): boolean {
    const at = machineTime();
    if (!this.held.isHeld) return false;
    this.#heldAt = at;
    if (at - this.#notedAt > NOTE_EVERY_MS) this.#note();
    return true;
  }

  /** Call this before the lock is released. */
  leave(): void {
    if (this.#left) return;
    const isHeld = this.confirm();
    this.#note();
    if (!isHeld && !this.held.signal.aborted) {
      this.context.journal.note({ type: 'untold', grant: this.grant, at: machineTime() });
    }
    this.#left = true;
    this.context.inside.delete(this);
    this.context.journal.note({ type: 'left', grant: this.grant, at: machineTime() });
  }

  /** Call this when the work was rejected without a signal. */
  rejected(): void {
    this.context.journal.note({ type: 'rejected', grant: this.grant, at: machineTime() });
  }

  #note(): void {
    this.#notedAt = this.#heldAt;
    this.context.journal.note({ type: 'held', grant: this.grant, at: this.#heldAt });
  }

  #onTold(): void {
    if (this.#left) return;
    this.context.stalls.look();
    const { key, reason: own = 'given-up' } = this.held.signal.reason as Partial<LockLostError>;
    // A lock that joins one of several is lost with any of them.
    const reason = (key ?? this.entrance.key) === this.entrance.key ? own : 'another-lost';
    this.context.journal.note({ type: 'told', grant: this.grant, reason, at: machineTime() });
  }

  #onAskedBack(): void {
    if (this.#left) return;
    this.context.journal.note({ type: 'asked-back', grant: this.grant, at: machineTime() });
  }

  async #write(): Promise<void> {
    const { fencingToken } = this.held;
    if (fencingToken === undefined) return;
    const { journal, resource, guarded, guardedPercent = GUARDED_PERCENT, random } = this.context;
    const { key } = this.entrance;
    if (guarded !== undefined && this.held.transact && random.chance(guardedPercent)) {
      const writing = this.#writeGuarded(`${guarded}/${key}/${String(fencingToken)}-`);
      if (!random.chance(HASTY_PERCENT)) return writing;
      writing.catch((error: unknown) => this.#onHastyError(error));
      // The write was sent by then.
      return sleep(0);
    }
    if (await resource.write(this.grant, key, fencingToken)) return;
    const { isHeld } = this.held;
    journal.note({ type: 'refused', grant: this.grant, isHeld, at: machineTime() });
  }

  #onHastyError(error: unknown): void {
    const { code = '', stack = '' } = error as Error & { code?: string };
    if (OUTRUN.includes(code)) return;
    const { kind } = this.entrance;
    this.context.journal.note({ type: 'broke', kind, error: stack, at: machineTime() });
  }

  /** Uses sequential nodes, which ZooKeeper numbers in the order of the writes. */
  async #writeGuarded(path: string): Promise<void> {
    try {
      await this.held.transact?.((tx) => tx.create(path, '', { mode: 'persistent-sequential' }));
    } catch (error) {
      if (!NOT_WRITTEN.includes((error as { code?: string }).code ?? '')) throw error;
    }
  }
}
