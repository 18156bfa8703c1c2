import { membersInJson, printAsJson, type Transaction } from 'zk-client/recipes';
import type { Lock, LockMode } from './lock.js';

/** A lock that tells its loss even if a time limit was over first. A test's replacement may not. */
export interface Losable {
  readonly signal: AbortSignal;
  readonly lossReason?: unknown;
}

/** Why a lock is lost; the end of a time limit if it is not lost, or cannot tell. */
export const lossReasonOf = ({ lossReason, signal }: Losable): unknown =>
  lossReason ?? signal.reason;

/** The members of a lock that say whether it is held, and that write while it is. */
interface Validity extends Losable, Pick<Lock, 'revoked' | 'isHeld' | 'assertHeld' | 'transact'> {}

/** A view of a lock for some of the work under it. */
export class LockView implements Lock {
  /** @param validity the validity of several locks, if this one counts as lost with any of them */
  constructor(
    private readonly lock: Lock,
    private readonly validity: Validity = lock,
  ) {}

  get key(): string {
    return this.lock.key;
  }

  get mode(): LockMode {
    return this.lock.mode;
  }

  get fencingToken(): bigint {
    return this.lock.fencingToken;
  }

  get signal(): AbortSignal {
    return this.validity.signal;
  }

  get revoked(): AbortSignal {
    return this.validity.revoked;
  }

  get lossReason(): unknown {
    return lossReasonOf(this.validity);
  }

  get isHeld(): boolean {
    return this.validity.isHeld;
  }

  assertHeld(): void {
    this.validity.assertHeld();
  }

  transact(build: (tx: Transaction) => unknown): Promise<readonly string[]> {
    return this.validity.transact(build);
  }

  release(): Promise<void> {
    return this.lock.release();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }

  toJSON(): object {
    return membersInJson(this, 'key', 'mode', 'fencingToken', 'isHeld');
  }
}

printAsJson(LockView);
