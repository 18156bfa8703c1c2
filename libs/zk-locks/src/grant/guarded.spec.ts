import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { LockLostError } from '../lock/lock-errors.js';
import { runGuarded, type Guard } from './async-scope.js';

/** A lock that is lost while its work runs. */
class LostLock implements Guard {
  readonly loss = new LockLostError('job', 'write', 'lease-expired');
  readonly signal = AbortSignal.abort(this.loss);
  isReleased = false;

  async whenCertain(): Promise<void> {}

  throwIfLost(): void {
    throw this.loss;
  }

  async release(): Promise<void> {
    this.isReleased = true;
  }
}

/** Under Jest, Node's own functions reject with errors of another realm than that of the tested code. */
const ofAnotherRealm = (options: ErrorOptions): unknown =>
  runInNewContext("new Error('The operation was aborted', options)", { options });

describe('work whose lock is lost', () => {
  it.each([
    ['', (cause: unknown) => new Error('The operation was aborted', { cause })],
    [' in an error of another realm', (cause: unknown) => ofAnotherRealm({ cause })],
  ])(
    'rejects with the loss if the work stopped because of its signal%s',
    async (_where, stoppedFor) => {
      const lock = new LostLock();
      const work = async () => {
        throw stoppedFor(lock.signal.reason);
      };
      await expect(runGuarded(lock, work)).rejects.toBe(lock.loss);
      expect(lock.isReleased).toBe(true);
    },
  );

  it('rejects with the loss of one lock if the work stopped because another was lost', async () => {
    const lock = new LostLock();
    const other = ofAnotherRealm({ cause: new LockLostError('b', 'write', 'node-deleted') });
    await expect(runGuarded(lock, () => Promise.reject(other as Error))).rejects.toBe(lock.loss);
  });

  it.each([
    ['an error', new Error('out of paper')],
    ['an error of another realm', ofAnotherRealm({ cause: 'out of paper' })],
    ['no error at all', { cause: undefined }],
  ])('rejects with what the work threw for a reason of its own: %s', async (_what, thrown) => {
    const lock = new LostLock();
    await expect(runGuarded(lock, () => Promise.reject(thrown as Error))).rejects.toBe(thrown);
    expect(lock.isReleased).toBe(true);
  });
});
