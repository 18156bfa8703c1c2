import type { DialectName } from 'zk-locks';
import type { Random } from '../../workers/soak/random.js';
import type { Plan } from './plan.js';

const WITH_CONTENDERS_PERCENT = 20;
const NAMES = ['stranger', 'foreigner'];
const DIALECTS: readonly DialectName[] = ['curator-rw', 'curator-rw', 'curator-mutex', 'kazoo'];
const ALWAYS: readonly string[] = ['write', 'several', 'permits', 'leader', 'run'];

/**
 * Adds processes of another library to some stories. Our locks then use its dialect, which supports
 * fewer kinds of locks.
 */
export function withContenders(random: Random, plan: Plan): Plan {
  if (!random.chance(WITH_CONTENDERS_PERCENT)) return plan;
  const { dialect: drawn, sessionTimeoutMs = 0 } = plan.replicas[0]!.options;
  const dialect = random.pick(DIALECTS);
  const contenders = NAMES.slice(0, random.between(1, NAMES.length)).map((name) => ({
    ...{ name, sessionTimeoutMs },
    idleMs: random.pick([5, 50, 500]),
  }));
  if (drawn !== 'curator-rw' || dialect === drawn) return { ...plan, contenders };
  const kinds = dialect === 'kazoo' ? [...ALWAYS, 'read'] : ALWAYS;
  const replicas = plan.replicas.map((replica) => {
    const { cohort: _cohort, ...options } = replica.options;
    const tasks = Object.entries(replica.tasks).filter(([kind]) => kinds.includes(kind));
    return {
      ...replica,
      options: { ...options, dialect },
      tasks: { write: 1, ...Object.fromEntries(tasks) },
    };
  });
  return { ...plan, replicas, contenders };
}
