import type { History, Violation } from '../history/history.js';
import type { Stage } from '../stage/stage.js';
import type { Fault, Heal } from './fault.js';

const nothing: Heal = async () => {};

/** The place of the replica that reads while the others write. */
const READER = 0;

/** How many looks at a queue are too many: for each reader one as it comes, and one as it is woken. */
const LOOKS = 2.3;

/** Rounds in which nothing goes wrong: what the others are compared with. */
export const CALM: readonly Fault[] = [
  { name: 'none', lasts: [0.5, 0.5], inflict: async () => nothing },
  {
    name: 'none, readers queue behind many writers',
    lasts: [0.5, 0.5],
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

/** A release wakes those whom it lets in and nobody else. */
async function countLooks(stage: Stage, { grants }: History): Promise<Violation[]> {
  const { process, proxies } = readersOf(stage);
  const requests = await Promise.all(proxies.map((proxy) => proxy.requests()));
  const looks = requests.reduce((sum, { getChildren }) => sum + getChildren, 0);
  const reads = grants.filter((grant) => grant.process === process.name).length;
  if (looks <= LOOKS * reads) return [];
  const message = `readers behind writers looked at the queue ${looks} times for ${reads} grants`;
  return [{ promise: 'no herd', message, kinds: ['read'] }];
}

function readersOf(stage: Stage): Stage['replicas'][number] {
  const replica = stage.replicas[READER];
  if (!replica) throw new Error('there is no replica');
  return replica;
}
