import type { DialectName } from 'zk-locks';
import type { Random } from '../../workers/soak/random.js';
import type { Plan } from './plan.js';

const OTHER_DIALECT_PERCENT = 20;
const DIALECTS: readonly DialectName[] = ['curator-rw', 'curator-rw', 'curator-mutex', 'kazoo'];
const ALWAYS: readonly string[] = ['write', 'several', 'permits', 'leader', 'run'];

/** Lets the processes of some stories speak the dialect of another library, which knows fewer locks. */
export function inSomeDialect(random: Random, plan: Plan): Plan {
  if (!random.chance(OTHER_DIALECT_PERCENT)) return plan;
  const drawn = plan.replicas[0]?.options.dialect;
  const dialect = random.pick(DIALECTS);
  if (drawn !== 'curator-rw' || dialect === drawn) return plan;
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
  return { ...plan, replicas };
}
