import { setTimeout as sleep } from 'node:timers/promises';
import { machineTime } from '../../workers/soak/journal.js';
import type { History, Violation } from '../history/history.js';
import type { Replica } from '../stage/replica.js';
import type { Stage } from '../stage/stage.js';
import type { Fault, Heal } from './fault.js';

const nothing: Heal = async () => {};

/** The place of the replica that reads while the others write. */
const READER = 0;

/** Too many looks at a queue: each reader looks once when it comes, and once when it is woken. */
const LOOKS = 2.3;

/** Rounds in which nothing goes wrong: what the others are compared with. */
export const CALM: readonly Fault[] = [
  { name: 'none', lasts: [0.5, 0.5], inflict: async () => nothing },
  {
    name: 'none, readers queue behind many writers',
    lasts: [0.5, 0.5],
    needs: ({ dialect }) => dialect !== 'single-node',
    workloadOf: (place) => ({
      only: place === READER ? ['read'] : ['write'],
      keys: ['a'],
      patient: true,
    }),
    inflict: async (stage) => {
      await readersOf(stage).onEveryProxy((proxy) => proxy.resetCounters());
      return nothing;
    },
    examine: countLooks,
  },
];

/** A release wakes only the waiters that it lets in. */
async function countLooks(stage: Stage, { grants, waits }: History): Promise<Violation[]> {
  const replica = readersOf(stage);
  const reads = grants.filter((grant) => grant.process === replica.process.name).length;
  const looks = await looksOf(replica);
  if (looks <= LOOKS * reads) return [];
  // For a minute after a create was lost, its directory is looked at every so often.
  const ms = machineTime() - Math.min(...waits.map(({ askedAt }) => askedAt));
  const others = (ms * (await looksAtRest(replica))) / REST_MS;
  if (looks - others <= LOOKS * reads) return [];
  const message = `readers behind writers looked at the queue ${looks} times for ${reads} grants, and ${others.toFixed(0)} times for other reasons`;
  return [{ promise: 'no herd', message, kinds: ['read'] }];
}

const REST_MS = 1_000;

/** How often a replica looks at queues within {@link REST_MS} while no call asks for a lock. */
async function looksAtRest(replica: Replica): Promise<number> {
  await replica.onEveryProxy((proxy) => proxy.resetCounters());
  await sleep(REST_MS);
  return looksOf(replica);
}

async function looksOf({ proxies }: Replica): Promise<number> {
  const requests = await Promise.all(proxies.map((proxy) => proxy.requests()));
  return requests.reduce((sum, { getChildren }) => sum + getChildren, 0);
}

function readersOf(stage: Stage): Replica {
  const replica = stage.replicas[READER];
  if (!replica) throw new Error('there is no replica');
  return replica;
}
