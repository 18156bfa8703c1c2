import type { Locks, LocksOptions } from 'zk-locks';
import type { OwnSight } from 'zk-locks/internal';
import { AgreedPermits } from './agreed-permits.js';

/** What the library itself needs of a service. It has the password, so no instance has it. */
export interface ServiceInternals {
  /** With the credentials. */
  readonly options: () => LocksOptions;
  readonly mapsErrors: boolean;
  readonly isNative: boolean;
  readonly agreedPermits: AgreedPermits;
  /** What this process does with a key, which asks no server. */
  readonly ownSight: OwnSight;
  readonly countSkipped: () => void;
  /** The keys of `onBusy` calls that wait for a connection. */
  readonly waiting: Set<string>;
}

/** By a service's own signal, which is the same one where instrumentation hands out a proxy of the service. */
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

/** Of a service that an application has put in place of ours. */
const unknownService = (): ServiceInternals => ({
  options: () => {
    throw new TypeError('This LockService was not made by ZkLockModule.');
  },
  mapsErrors: false,
  isNative: false,
  agreedPermits: new AgreedPermits(),
  ownSight: () => ({ cohort: undefined, election: undefined, job: undefined }),
  countSkipped: () => undefined,
  waiting: new Set(),
});
