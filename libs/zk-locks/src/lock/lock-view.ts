import { membersInJson, type Transaction } from 'zk-client/recipes';
import type { Lock, LockMode } from './lock.js';

/** A view of a lock for some of the work under it; subclasses override what differs. */
export abstract class LockView implements Lock {
  constructor(protected readonly lock: Lock) {}

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
    return this.lock.signal;
  }

  get revoked(): AbortSignal {
    return this.lock.revoked;
  }

  get isHeld(): boolean {
    return this.lock.isHeld;
  }

  assertHeld(): void {
    this.lock.assertHeld();
  }

  transact(build: (tx: Transaction) => unknown): Promise<readonly string[]> {
    return this.lock.transact(build);
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
