import type { CallKind } from '../telemetry/events.js';
import { type GuardKind, LockQueueFullError } from '../lock-errors.js';

/** How many calls of this process may wait. `Infinity` for no limit. */
export interface MaxWaitingOptions {
  /**
   * For one key.
   * @default 1000
   */
  perKey?: number | undefined;
  /**
   * For all keys of this connection.
   * @default 10000
   */
  total?: number | undefined;
}

export interface MaxWaiting {
  readonly perKey: number;
  readonly total: number;
}

export const DEFAULT_MAX_WAITING: MaxWaiting = { perKey: 1_000, total: 10_000 };

/** A call that asks for a lock or permits. */
export interface WaitingCall {
  readonly key: string;
  readonly mode: GuardKind;
  readonly kind: CallKind;
  readonly directory: string;
  readonly timeoutMs: number;
}

/** Counts the calls that wait, for each key and in all, and refuses those beyond the limits. */
export class WaitingCalls {
  #total = 0;
  readonly #byDirectory = new Map<string, number>();

  constructor(private readonly limits: MaxWaiting) {}

  /** @throws {LockQueueFullError} */
  enter(call: WaitingCall): void {
    if (!isLimited(call)) return;
    const ofKey = this.#byDirectory.get(call.directory) ?? 0;
    if (ofKey >= this.limits.perKey) throw this.#full(call, 'perKey');
    if (this.#total >= this.limits.total) throw this.#full(call, 'total');
    this.#byDirectory.set(call.directory, ofKey + 1);
    this.#total++;
  }

  /** Of each call that has entered, once. */
  leave(call: WaitingCall): void {
    if (!isLimited(call)) return;
    const others = (this.#byDirectory.get(call.directory) ?? 0) - 1;
    if (others > 0) this.#byDirectory.set(call.directory, others);
    else this.#byDirectory.delete(call.directory);
    this.#total--;
  }

  #full({ key, mode }: WaitingCall, limit: keyof MaxWaiting): LockQueueFullError {
    return new LockQueueFullError(key, mode, `maxWaiting.${limit}`, this.limits[limit]);
  }
}

/** A single try does not wait; a process takes part in an election once. */
function isLimited({ timeoutMs, kind }: WaitingCall): boolean {
  return timeoutMs !== 0 && kind !== 'election';
}
