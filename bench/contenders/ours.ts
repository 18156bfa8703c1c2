import type { ZkLockModuleOptions } from 'nestjs-zk-lock';
import type { Contender } from './contender.js';
import { startNodeDriver } from './node-driver.js';

export interface Variant {
  readonly name: string;
  readonly about: string;
  readonly ours: 'strict' | 'cohort';
  /** What its module is given, besides servers and root. */
  readonly options: Partial<ZkLockModuleOptions>;
}

const SHAPES: Readonly<Record<Variant['ours'], Pick<Contender, 'skills' | 'maxWaiters'>>> = {
  strict: { skills: ['own', 'one', 'mixed', 'try', 'decorators'], maxWaiters: 10_000 },
  // Elsewhere they change nothing, and their waiters stand in no queue that could be seen.
  cohort: { skills: ['one', 'mixed'], maxWaiters: 0 },
};

/** This library: a service of a Nest application, from what was built. */
export function ours({ name, about, ours, options }: Variant): Contender {
  return {
    ...{ name, about, ours },
    backend: 'zookeeper',
    ...SHAPES[ours],
    start: (servers) => startNodeDriver('ours', servers, { root: `/bench/${name}`, ...options }),
  };
}
