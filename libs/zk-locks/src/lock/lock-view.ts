import { membersInJson, printAsJson, type Transaction } from 'zk-client/recipes';
import type { Lock, LockMode } from './lock.js';

/** The members of a lock that say whether it is held, and that write while it is. */
type Validity = Pick<Lock, 'signal' | 'revoked' | 'isHeld' | 'assertHeld' | 'transact'>;

/** A view of a lock for some of the work under it. */
export class LockView implements Lock {
  /** @param validity the validity of several locks, if this one counts as lost with any of them */
  constructor(
    private readonly lock: Lock,
    private readonly validity: Validity = lock,
  ) {}

  /** Why its signal aborted, unless a time limit of a view did it: that is no loss, and hides none. */
  static lossReasonOf(lock: Pick<Lock, 'signal'>): unknown {
    return lock instanceof LockView ? LockView.lossReasonOf(lock.validity) : lock.signal.reason;
  }

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
