import { decorators } from './decorators.js';
import { ensemble } from './ensemble.js';
import { oneKey } from './one-key.js';
import { ownKeys, visitedKeys } from './own-keys.js';
import { readHeavy } from './read-heavy.js';
import { roundTrips } from './round-trip.js';
import { scale } from './scale.js';
import { tryAcquire } from './try-acquire.js';
import { waiters } from './waiters.js';
import type { Workload } from './workload.js';

/** In the order of the results, grouped by place. */
export const WORKLOADS: readonly Workload[] = [
  ...ownKeys,
  visitedKeys,
  ...oneKey,
  readHeavy,
  tryAcquire,
  ...waiters,
  ...scale,
  decorators,
  ...roundTrips,
  ...ensemble,
];
