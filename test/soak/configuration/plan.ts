import type { ClientName } from 'nestjs-zk-lock';
import type { Random } from '../../workers/soak/random.js';
import { suits, type Fault } from '../nemesis/fault.js';
import type { Configuration } from './configuration.js';
import { drawConfiguration } from './draw.js';

/** The faults under one configuration, before the servers and replicas are set up anew. */
export interface Stretch {
  /** From 1 on. */
  readonly number: number;
  readonly configuration: Configuration;
  readonly faults: readonly Fault[];
  readonly random: Random;
}

export interface PlanOptions {
  readonly faults: readonly Fault[];
  /** The one configuration of all stretches. @default each stretch draws its own */
  readonly configuration?: Configuration | undefined;
  /** The one client of all drawn configurations. @default each in turn */
  readonly client?: ClientName | undefined;
}

const CLIENTS: readonly ClientName[] = ['native', 'wire'];
/** A stage takes some seconds to set up. */
const FAULTS_AT_MOST = 8;

/**
 * Endless stretches, in which each fault occurs once before any occurs again. Depends only on the
 * seed of `random`, and never on how long a stretch takes.
 *
 * @throws {Error} if the given configuration suits no fault
 */
export function* plan(random: Random, options: PlanOptions): Generator<Stretch, never> {
  const { faults, client } = options;
  let unmet: Fault[] = [];
  for (let number = 1, fruitless = 0; ;) {
    const turn = client ?? CLIENTS[number % CLIENTS.length] ?? 'native';
    const configuration = options.configuration ?? drawConfiguration(random, turn);
    if (unmet.length === 0) unmet = random.shuffle(faults);
    const met = unmet.filter((fault) => suits(fault, configuration)).slice(0, FAULTS_AT_MOST);
    unmet = unmet.filter((fault) => !met.includes(fault));
    // The next configuration may suit those that are left.
    if (met.length === 0) {
      if (++fruitless > 1_000) throw new Error('no configuration suits the faults that are left');
      continue;
    }
    yield { number: number++, configuration, faults: met, random: random.fork() };
    fruitless = 0;
  }
}
