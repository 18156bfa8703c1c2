import type { ZkLockModuleOptions } from 'nestjs-zk-lock';
import type { Contender } from './contender.js';
import { programWith, startNodeDriver } from './node-driver.js';

interface Variant extends Pick<Contender, 'name' | 'about'> {
  /** Options of its module, besides servers and root. */
  readonly options: Partial<ZkLockModuleOptions>;
  readonly skills: Contender['skills'];
  readonly maxWaiters?: number;
  /** @default `LockService.acquire()` */
  readonly through?: '@Locked' | 'withLock';
}

const STRICT = {
  skills: ['own', 'one', 'visited', 'mixed', 'try', 'random', 'scale'],
  maxWaiters: 10_000,
} as const;
const GUARDED = { skills: ['own', 'one', 'mixed'], options: { client: 'wire' } } as const;
// These options have no effect without decorators.
const COHORT = { skills: ['one', 'mixed'] } as const;

/** The default variant, to which the goals apply. */
export const OURS = 'ours-wire';

export const OURS_KEPT = 'ours-kept';

/** The same as {@link OURS}, from another checkout. */
export const BEFORE = 'before';

/** The ways to use this library, each a contender. */
const VARIANTS: readonly Variant[] = [
  {
    ...STRICT,
    name: OURS,
    about: 'nestjs-zk-lock over zk-client, the default',
    skills: [...STRICT.skills, 'decorators'],
    options: { client: 'wire' },
  },
  {
    ...GUARDED,
    name: 'ours-locked',
    about: 'the same through `@Locked`, with default timeouts and metrics for Prometheus',
    through: '@Locked',
  },
  {
    ...GUARDED,
    name: 'ours-withLock',
    about: 'the same through `withLock`, with default timeouts and metrics for Prometheus',
    through: 'withLock',
  },
  {
    ...STRICT,
    name: 'ours',
    about: 'nestjs-zk-lock over npm `zookeeper`',
    options: { client: 'native' },
  },
  {
    name: OURS_KEPT,
    about: 'nestjs-zk-lock over zk-client, which keeps locks for 10 s after their last release',
    skills: ['own', 'visited'],
    options: { client: 'wire', cohort: { keepMs: 10_000 } },
  },
  {
    ...COHORT,
    name: 'ours-cohort-wire',
    about: 'nestjs-zk-lock over zk-client, the default, with cohorts',
    options: { client: 'wire', cohort: {} },
  },
  {
    ...COHORT,
    name: 'ours-cohort',
    about: 'nestjs-zk-lock over npm `zookeeper`, with cohorts',
    options: { client: 'native', cohort: {} },
  },
];

/** This library: a service of a Nest application, from the built files. */
export const ours: readonly Contender[] = VARIANTS.map((variant) => toContender(variant));

/**
 * The build of another checkout of this repository, with this one's driver.
 *
 * @throws {Error} if nothing is built there
 */
export function oursOf(checkout: string): Contender {
  const program = programWith(checkout);
  const about = `nestjs-zk-lock over zk-client, as built in ${checkout}`;
  const options = { client: 'wire' } as const;
  return toContender({ ...STRICT, name: BEFORE, about, options }, program);
}

function toContender(
  { options, through, maxWaiters = 0, ...variant }: Variant,
  program?: string,
): Contender {
  return {
    ...variant,
    maxWaiters,
    backend: 'zookeeper',
    start: (servers) =>
      startNodeDriver(
        through ? 'ours-guarded' : 'ours',
        servers,
        { ...{ root: `/bench/${variant.name}`, ...options }, ...(through && { through }) },
        program,
      ),
  };
}
