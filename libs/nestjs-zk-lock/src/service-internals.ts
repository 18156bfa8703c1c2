import type { Locks, LocksOptions } from 'zk-locks';
import type { OwnSight } from 'zk-locks/framework';
import { AgreedPermits } from './agreed-permits.js';
import { MethodOutcomes } from './method-outcomes.js';

/**
 * What the library itself needs of a service. It includes the password, so it is not stored on an
 * instance.
 */
export interface ServiceInternals {
  /** Includes the credentials. */
  readonly options: () => LocksOptions;
  readonly mapsErrors: boolean;
  readonly isNative: boolean;
  readonly agreedPermits: AgreedPermits;
  /** Shows what this process does with a key, without asking a server. */
  readonly ownSight: OwnSight;
  readonly countSkipped: () => void;
  readonly outcomes: MethodOutcomes;
  /** The keys of `onBusy` calls that wait for a connection. */
  readonly waiting: Set<string>;
}

/**
 * Keyed by the service's signal, which is the same even if instrumentation wraps the service in a
 * proxy.
 */
const known = new WeakMap<AbortSignal, ServiceInternals>();

export function keepInternals(
  { closing }: Pick<Locks, 'closing'>,
  internals: ServiceInternals,
): void {
  known.set(closing, internals);
}

export function internalsOf({ closing }: Pick<Locks, 'closing'>): ServiceInternals {
  return known.get(closing) ?? unknownService();
}

/** For a service that an application has put in place of the module's own. */
const unknownService = (): ServiceInternals => ({
  options: () => {
    throw new TypeError('This LockService was not created by ZkLockModule.');
  },
  mapsErrors: false,
  isNative: false,
  agreedPermits: new AgreedPermits(),
  ownSight: () => ({
    ...{ cohort: undefined, election: undefined, job: undefined },
    expectJob: () => undefined,
  }),
  countSkipped: () => undefined,
  outcomes: new MethodOutcomes(),
  waiting: new Set(),
});
