import type { Stage } from '../story/stage.js';
import { type Fault, pick } from './fault.js';

function cutOff(stage: Stage, place: number, ms: number, isOneWay: boolean): void {
  const { members } = stage.servers;
  const one = pick(members, place)!;
  for (const other of members) {
    if (other !== one) {
      stage.blockFor(ms, one.process.host, other.process.host, isOneWay ? 'out' : 'both');
    }
  }
}

function placeOfLeader({ servers: { members, leader } }: Stage): number {
  return Math.max(
    0,
    members.findIndex((member) => member === leader),
  );
}

const faults = {
  'server stopped': (stage, { target, ms }) => {
    const { process } = pick(stage.servers.members, target)!;
    process.stop();
    stage.untilHealed(ms, () => process.continue());
  },

  'server hung': (stage, { target, ms, choices: [callbacks = 0] }) => {
    pick(stage.servers.members, target)!.process.hangAfter(callbacks % 12, ms);
  },

  'server crashed': (stage, { target, ms }) => {
    const member = pick(stage.servers.members, target)!;
    if (member.process.isDead) return;
    member.crash();
    stage.untilHealed(ms, () => member.restart({ withData: true }));
  },

  'leader crashed': (stage, { ms }) => {
    const { leader } = stage.servers;
    if (!leader) return;
    leader.crash();
    stage.untilHealed(ms, () => leader.restart({ withData: true }));
  },

  'server cut off from the others': (stage, { target, ms, choices: [way = 0] }) =>
    cutOff(stage, target, ms, way < 300),

  'leader cut off from the others': (stage, { ms, choices: [way = 0] }) =>
    cutOff(stage, placeOfLeader(stage), ms, way < 300),
} as const satisfies Record<string, Fault>;

/** What happens to the servers: all news may come late. */
export const serverFaults: Readonly<Record<string, Fault>> = Object.fromEntries(
  Object.entries(faults).map(([kind, inflict]: [string, Fault]) => [
    kind,
    (stage, plan) => {
      stage.silence(undefined, plan.ms);
      inflict(stage, plan);
    },
  ]),
);
