import type { Random } from '../../workers/soak/random.js';
import type { Configuration } from '../configuration/configuration.js';
import type { Stage } from '../stage/stage.js';

/** Undoes a fault. */
export type Heal = () => Promise<void>;

export interface Fault {
  /** Its name in the report. */
  readonly name: string;
  /** How long it lasts, as multiples of the session timeout; drawn for each round. */
  readonly lasts: readonly [shortest: number, longest: number];
  /** Whether no call can be served before it is healed. */
  readonly stopsAll?: boolean;
  /** Whether the fault is possible under a configuration. @default under each */
  readonly needs?: (configuration: Configuration) => boolean;
  /** Resolves once the fault has taken effect. */
  inflict(stage: Stage, random: Random): Promise<Heal>;
}
