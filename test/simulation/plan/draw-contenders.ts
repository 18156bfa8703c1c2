import type { DialectName } from 'zk-locks';
import type { Random } from '../../workers/soak/random.js';
import type { Plan, ReplicaPlan } from './plan.js';

const WITH_CONTENDERS_PERCENT = 20;
const NAMES = ['stranger', 'foreigner'];
const QUEUED: readonly DialectName[] = ['curator-rw', 'curator-rw', 'curator-mutex', 'kazoo'];
const ALWAYS: readonly string[] = ['write', 'several', 'permits', 'leader', 'run'];

/** Puts processes of other libraries into some stories, in a dialect that both speak. */
export function withContenders(random: Random, plan: Plan): Plan {
  if (!random.chance(WITH_CONTENDERS_PERCENT)) return plan;
  const [first] = plan.replicas;
  if (!first) return plan;
  const { dialect: drawn, sessionTimeoutMs = 0 } = first.options;
  const dialect = drawn === 'single-node' ? drawn : random.pick(QUEUED);
  const contenders = NAMES.slice(0, random.between(1, NAMES.length)).map((name) => ({
    ...{ name, sessionTimeoutMs },
    idleMs: random.pick([5, 50, 500]),
  }));
  const replicas = plan.replicas.map((replica) => inDialect(replica, dialect));
  return { ...plan, replicas, contenders };
}

function inDialect(replica: ReplicaPlan, dialect: DialectName): ReplicaPlan {
  if (dialect === replica.options.dialect) return replica;
  const { cohort: _cohort, ...options } = replica.options;
  const kinds = dialect === 'kazoo' ? [...ALWAYS, 'read'] : ALWAYS;
  const tasks = Object.entries(replica.tasks).filter(([kind]) => kinds.includes(kind));
  return {
    ...replica,
    options: { ...options, dialect },
    tasks: { write: 1, ...Object.fromEntries(tasks) },
  };
}
