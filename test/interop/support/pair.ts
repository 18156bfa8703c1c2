import type { DialectName } from '../../../libs/zk-locks/src/nodes/dialect.js';
import type { LockMode } from 'nestjs-zk-lock';
import type { Partner } from './partner.js';
import type { Place } from '../../support/place.js';
import type { StartPartner } from './start.js';

/** One of our dialects, and the library whose locks it shares. */
export interface Pair {
  readonly dialect: DialectName;
  /** The kinds of the partner's locks that exclude all others. */
  readonly writers: readonly [string, ...string[]];
  /** The partner's name in `.tokens` of a guarded file. */
  readonly name: string;
  readonly start: StartPartner;
  /** Opens a directory in which the partner can work. */
  readonly openPlace: () => Promise<Place>;
  /** The partner that is shared by the tests of the file. */
  readonly partner: () => Partner;
}

/** A pair in which both sides have read locks. */
export interface ReadWritePair extends Pair {
  readonly kinds: Readonly<Record<LockMode, string>>;
}
