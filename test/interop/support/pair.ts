import type { DialectName } from '../../../libs/zk-locks/src/nodes/dialect.js';
import type { LockMode } from 'nestjs-zk-lock';
import type { Partner } from './partner.js';
import type { Place } from '../../support/place.js';
import type { StartPartner } from './start.js';

/** A dialect of ours, and whose locks it shares. */
export interface Pair {
  readonly dialect: DialectName;
  /** The kinds of the partner's locks that exclude all others. */
  readonly writers: readonly [string, ...string[]];
  /** What the partner says in `.tokens` of a guarded file. */
  readonly name: string;
  readonly start: StartPartner;
  /** A directory that the partner can work in. */
  readonly openPlace: () => Promise<Place>;
  /** The one that lives as long as the tests of the file. */
  readonly partner: () => Partner;
}

/** With readers on both sides. */
export interface ReadWritePair extends Pair {
  readonly kinds: Readonly<Record<LockMode, string>>;
}
