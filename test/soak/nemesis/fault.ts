import type { Random } from '../../workers/soak/random.js';
import type { Workload } from '../../workers/soak/protocol.js';
import type { Configuration } from '../configuration/configuration.js';
import type { History, Violation } from '../history/history.js';
import type { Stage } from '../stage/stage.js';

/** For faults that make calls fail: one inside of `withLock` would count as a failure of its task. */
export const WITHOUT_DOWNGRADES: Workload = {
  only: ['write', 'read', 'several', 'upgradable', 'permits', 'leader'],
};

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
  /** The factor by which session timeouts are longer meanwhile. @default 1 */
  readonly lengthensSessions?: number;
  /** The replicas' work meanwhile, by their place among them. @default all kinds */
  readonly workloadOf?: (place: number) => Workload;
  /** Resolves once it has happened. */
  inflict(stage: Stage, random: Random): Promise<Heal>;
  /** Violations found once all tasks have come to rest. */
  examine?(stage: Stage, history: History): Promise<Violation[]>;
}

/** Whether a fault is possible under a configuration. */
export function suits({ needs = () => true }: Fault, configuration: Configuration): boolean {
  return needs(configuration);
}
