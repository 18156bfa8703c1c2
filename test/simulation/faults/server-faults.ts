import type { Member } from '../ensemble/member.js';
import type { FaultPlan } from '../plan/plan.js';
import type { Stage } from '../story/stage.js';
import { type Fault, pick } from './fault.js';

/**
 * Cuts off a server. A leader that is cut off continues for a while; the others may notice at once.
 */
function cutOff(stage: Stage, one: Member | undefined, { ms, choices }: FaultPlan): void {
  const [way = 0, told = 0] = choices;
  const { members, leader } = stage.servers;
  if (!one) return;
  for (const other of members) {
    if (other === one) continue;
    stage.blockFor(ms, one.process.host, other.process.host, way < 300 ? 'out' : 'both');
    if (one === leader && told < 500) other.process.post(() => other.peer.loseLeader());
  }
}

function memberOf({ servers: { members } }: Stage, { target, server = target }: FaultPlan): Member {
  return pick(members, server)!;
}

function stop(stage: Stage, member: Member | undefined, { ms }: FaultPlan): void {
  if (!member) return;
  const { process } = member;
  process.stop();
  stage.untilHealed(ms, () => process.continue());
}

function crash(stage: Stage, member: Member | undefined, { ms }: FaultPlan): void {
  if (!member || member.process.isDead) return;
  member.crash();
  stage.untilHealed(ms, () => member.restart());
}

const faults = {
  'server stopped': (stage, plan) => stop(stage, memberOf(stage, plan), plan),
  'leader stopped': (stage, plan) => stop(stage, stage.servers.leader, plan),

  'server hung': (stage, plan) => {
    const { ms, choices } = plan;
    memberOf(stage, plan).process.hangAfter((choices[0] ?? 0) % 12, ms);
  },

  'server crashed': (stage, plan) => crash(stage, memberOf(stage, plan), plan),
  /** If the other servers lacked its entries, ZooKeeper would lose committed writes. */
  'server restarted without its data': (stage, plan) => {
    const member = memberOf(stage, plan);
    const { members, options } = stage.servers;
    const voters = members.slice(0, options.voters).filter((one) => one !== member);
    if (voters.length === 0 || member.process.isDead || !member.isCoveredBy(voters)) return;
    crash(stage, member, plan);
    member.loseData();
  },

  'leader crashed': (stage, plan) => crash(stage, stage.servers.leader, plan),

  'server cut off from the others': (stage, plan) => cutOff(stage, memberOf(stage, plan), plan),
  'leader cut off from the others': (stage, plan) => cutOff(stage, stage.servers.leader, plan),
} as const satisfies Record<string, Fault>;

/** Faults of servers. While they last, all messages may be late. */
export const serverFaults: Readonly<Record<string, Fault>> = Object.fromEntries(
  Object.entries(faults).map(([kind, inflict]: [string, Fault]) => [
    kind,
    (stage, plan) => {
      stage.silence(undefined, plan.ms);
      inflict(stage, plan);
    },
  ]),
);
