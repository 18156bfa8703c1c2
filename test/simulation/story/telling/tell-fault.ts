import { pick } from '../../faults/fault.js';
import type { FaultPlan } from '../../plan/plan.js';
import type { Stage } from '../stage.js';

type Teller = (stage: Stage, plan: FaultPlan) => string;

const WAYS = ['in both directions', 'from it', 'to it'] as const;

const processOf = ({ replicas }: Stage, { target }: FaultPlan): string =>
  pick(replicas, target)?.current.name ?? 'none';
const serverAt = ({ servers: { members } }: Stage, place: number): string =>
  pick(members, place)?.name ?? 'none';
const leaderOf = ({ servers: { leader } }: Stage): string => leader?.name ?? 'none';
const keyOf = ({ plan: { keys } }: Stage, { choices: [key = 0] }: FaultPlan): string =>
  `"${pick(keys, key) ?? ''}"`;
const wayOf = (place = 0): string => pick(WAYS, place)!;

/** By kind. A kind that is missing here is told by its name. */
const TELLERS: Readonly<Record<string, Teller>> = {
  'process stopped': (stage, plan) =>
    `Process ${processOf(stage, plan)} is stopped for ${plan.ms} ms.`,
  'event loop hung': (stage, plan) =>
    `The event loop of process ${processOf(stage, plan)} is to hang for ${plan.ms} ms.`,
  'process killed': (stage, plan) =>
    `Process ${processOf(stage, plan)} is killed, and replaced after ${plan.ms} ms.`,
  'wall clock stepped': (stage, plan) => {
    const [step = 0, direction = 0] = plan.choices;
    const way = direction < 500 ? 'forward' : 'back';
    return `The wall clock of process ${processOf(stage, plan)} is set ${way} by ${step * 10} ms.`;
  },
  'holders stay': (stage, plan) =>
    `Holders in process ${processOf(stage, plan)} are to stay for ${plan.ms} ms.`,
  'connections reset': (stage, plan) =>
    `The connections of process ${processOf(stage, plan)} are reset.`,
  'connections cut within a frame': (stage, plan) =>
    `The connections of process ${processOf(stage, plan)} are to be cut within a frame.`,
  'connections silent': (stage, plan) =>
    `The connections of process ${processOf(stage, plan)} lose everything ${wayOf(plan.choices[0])}.`,
  'connection lost just after a request': (stage, plan) =>
    `The connections of process ${processOf(stage, plan)} are to be lost just after a request.`,
  'cut off from all servers': (stage, plan) =>
    `The network between process ${processOf(stage, plan)} and all servers is blocked for ${plan.ms} ms, ${wayOf(plan.choices[0])}.`,
  'cut off from one server': (stage, plan) =>
    `The network between process ${processOf(stage, plan)} and ${serverAt(stage, plan.choices[0] ?? 0)} is blocked for ${plan.ms} ms, ${wayOf(plan.choices[1])}.`,
  'slow network': (stage, plan) =>
    `Messages of process ${processOf(stage, plan)} take ${plan.choices[0] ?? 0} ms more for ${plan.ms} ms.`,
  'server stopped': (stage, plan) =>
    `The process of ${serverAt(stage, plan.server ?? plan.target)} is stopped for ${plan.ms} ms.`,
  'server hung': (stage, plan) =>
    `The process of ${serverAt(stage, plan.server ?? plan.target)} is to hang for ${plan.ms} ms.`,
  'server crashed': (stage, plan) =>
    `The process of ${serverAt(stage, plan.server ?? plan.target)} crashes, and starts again after ${plan.ms} ms.`,
  'leader crashed': (stage, { ms }) =>
    `The leader, ${leaderOf(stage)}, crashes, and starts again after ${ms} ms.`,
  'server cut off from the others': (stage, plan) =>
    `The network between ${serverAt(stage, plan.server ?? plan.target)} and the other servers is blocked for ${plan.ms} ms.`,
  'leader stopped': (stage, { ms }) =>
    `The process of the leader, ${leaderOf(stage)}, is stopped for ${ms} ms.`,
  'leader cut off from the others': (stage, { ms }) =>
    `The network between the leader, ${leaderOf(stage)}, and the other servers is blocked for ${ms} ms.`,
  'session ended by an operator': () => 'An operator ends a session.',
  'lock broken': (stage, plan) => `An operator breaks the lock ${keyOf(stage, plan)}.`,
  'holder stopped and its lock broken': (stage, plan) =>
    `The process that holds ${keyOf(stage, plan)} is stopped for ${plan.ms} ms, and an operator breaks its lock.`,
  'lock node deleted': (stage, plan) => `An operator deletes a node of ${keyOf(stage, plan)}.`,
  'lock asked back': (stage, plan) => `An operator asks for the lock ${keyOf(stage, plan)} back.`,
  'user watches a lock directory': (stage, plan) =>
    `Process ${processOf(stage, plan)} watches the directory of ${keyOf(stage, plan)} for ${plan.ms} ms${(plan.choices[1] ?? 0) < 600 ? ', recursively' : ''}.`,
};

/** A fault that begins, as a sentence. */
export function tellFault(stage: Stage, plan: FaultPlan): string {
  const tell = TELLERS[plan.kind];
  return tell ? tell(stage, plan) : `A fault begins: ${plan.kind}, for ${plan.ms} ms.`;
}
