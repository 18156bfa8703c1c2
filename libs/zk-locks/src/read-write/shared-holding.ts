import type { LockLostError } from '../lock-errors.js';
import type { LockMode } from '../lock.js';

/** What was granted to one call, and whoever joins it in the same async context. */
export interface SharedHolding {
  readonly mode: LockMode;
  readonly fencingToken: bigint;
  /** Aborts with a {@link LockLostError}. */
  readonly signal: AbortSignal;
  /** Aborts with a {@link LockRevokedError} when somebody asks for it. */
  readonly revoked: AbortSignal;
  /** The loss, decided by the clock at this moment; undefined while it is held. */
  readonly loss: LockLostError | undefined;
  readonly isReleased: boolean;
  /** Resolves once it is certain whether it is held: at once, except after a jump of the clock. */
  whenCertain(): Promise<void>;
  share(mode: LockMode): void;
  /** Lets go of one share: with the last one everything is released. */
  unshare(mode: LockMode): Promise<void>;
}
