import type { Random } from '../../workers/soak/random.js';
import type { Configuration } from '../configuration/configuration.js';
import type { Stage } from '../stage/stage.js';

/** Undoes a fault. */
export type Heal = () => Promise<void>;

/** A production fault, on command. */
export interface Fault {
  /** Its name in the report. */
  readonly name: string;
  /** How long it lasts, as multiples of the session timeout; chosen anew each time. */
  readonly lasts: readonly [shortest: number, longest: number];
  /** Whether no call can be served before it is healed. */
  readonly stopsAll?: boolean;
  /** Whether it is possible under a configuration. @default under each */
  readonly needs?: (configuration: Configuration) => boolean;
  /** Resolves once it has happened. */
  inflict(stage: Stage, random: Random): Promise<Heal>;
}
