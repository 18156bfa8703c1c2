import type { Random } from '../../workers/soak/random.js';
import type { Workload } from '../../workers/soak/protocol.js';
import type { Configuration } from '../configuration/configuration.js';
import type { History, Violation } from '../history/history.js';
import type { Stage } from '../stage/stage.js';

/** For faults that make calls fail: one inside of `withLock` would count as a failure of its task. */
export const WITHOUT_DOWNGRADES: Workload = {
  only: ['write', 'read', 'several', 'upgradable', 'permits', 'leader'],
};

/** Takes a fault back. */
export type Heal = () => Promise<void>;

/** Something that goes wrong in production, on command. */
export interface Fault {
  /** As it stands in the report. */
  readonly name: string;
  /** How long it lasts, as multiples of the session timeout; chosen anew each time. */
  readonly lasts: readonly [shortest: number, longest: number];
  /** Whether nobody can be served before it is healed. */
  readonly stopsAll?: boolean;
  /** Whether it can be met under a configuration. @default under each */
  readonly needs?: (configuration: Configuration) => boolean;
  /** By how much session timeouts are longer meanwhile, as a factor. @default 1 */
  readonly lengthensSessions?: number;
  /** What the replicas do meanwhile, by their place among them. @default all they can */
  readonly workloadOf?: (place: number) => Workload;
  /** Resolves once it has happened. */
  inflict(stage: Stage, random: Random): Promise<Heal>;
  /** What there is to say against it once everybody has come to rest. */
  examine?(stage: Stage, history: History): Promise<Violation[]>;
}

/** Whether a fault can be met under a configuration. */
export function suits({ needs = () => true }: Fault, configuration: Configuration): boolean {
  return needs(configuration);
}
