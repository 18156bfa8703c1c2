import { pick } from '../../faults/fault.js';
import { keyOf, operatorFaults } from '../../faults/operator-faults.js';
import { serverFaults } from '../../faults/server-faults.js';
import type { FaultPlan } from '../../plan/plan.js';
import type { Stage } from '../stage.js';

/** Describes the beginning of a fault. */
export function tellFault(stage: Stage, plan: FaultPlan): string {
  return `A fault begins: ${plan.kind} (${whomOf(stage, plan)}), for ${plan.ms} ms.`;
}

/** Names what the fault affects: a key, a server, or a process. */
function whomOf(stage: Stage, plan: FaultPlan): string {
  const { kind, target, server = target } = plan;
  const { leader, members } = stage.servers;
  if (kind in operatorFaults) return `"${keyOf(stage, plan)}"`;
  if (kind.startsWith('leader')) return leader?.name ?? 'none';
  if (kind in serverFaults) return pick(members, server)!.name;
  return pick(stage.replicas, target)?.current.name ?? 'none';
}
