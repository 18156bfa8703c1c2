import type { LockKind } from '../../workers/soak/protocol.js';
import type { Grant, History, Violation } from '../history/history.js';
import { czxidOf } from '../../../libs/zk-locks/src/nodes/fencing-token.js';
import { describe } from './interference.js';

/** Kinds that a replica passes on; the others have their own nodes. */
const HANDED_ON: readonly LockKind[] = ['write', 'read', 'downgrade', 'several'];

/**
 * The calls under one node are at most as many as the replica allows, and each has its own token.
 * Within a replica that passes locks on, calls are served in order.
 *
 * @param handovers the maximum for each replica
 */
export function checkCohorts(
  history: History,
  handovers: ReadonlyMap<string, number>,
): Violation[] {
  const handedOn = history.grants.filter(
    ({ kind, queued, token }) => HANDED_ON.includes(kind) && queued && token !== undefined,
  );
  const limitOf = ({ process }: Grant): number => handovers.get(replicaOf(process)) ?? 0;
  const turns = groupBy(handedOn, (grant) => `${grant.key} ${nodeOf(grant, limitOf(grant) > 0)}`);
  const lines = groupBy(
    handedOn.filter((grant) => limitOf(grant) > 0),
    ({ key, process }) => `${key} ${process}`,
  );
  return [
    ...turns.flatMap((grants) => tooMany(grants, limitOf)),
    ...turns.flatMap(twiceTheSame),
    ...lines.flatMap((grants) => passed(grants, history)),
  ];
}

/** Identifies the node of a grant: all tokens of a shared node have the same czxid. */
function nodeOf({ token = 0n }: Grant, isShared: boolean): string {
  return String(isShared ? czxidOf(token) : token);
}

function tooMany(
  grants: readonly Grant[],
  limitOf: (grant: Grant) => number,
): readonly Violation[] {
  const [first] = grants;
  if (!first || grants.length <= limitOf(first) + 1) return [];
  const message = `${grants.length} calls were served under the node of ${describe(first)}, where ${limitOf(first)} hand-overs are allowed`;
  return [{ promise: 'fairness', message }];
}

function twiceTheSame(grants: readonly Grant[]): readonly Violation[] {
  const twice = byToken(grants).find(
    (grant, index, sorted) => grant.token === sorted[index - 1]?.token,
  );
  if (!twice) return [];
  const message = `${describe(twice)} has a token that another grant had`;
  return [{ promise: 'fencing', message }];
}

/**
 * Calls that were served before an earlier one, except for calls that did not wait. Two nodes of
 * readers may be granted together, and later calls may join the lower one, so both count: who has
 * the lower token, and who entered first. A call for several keys has entered once it holds them
 * all.
 */
function passed(grants: readonly Grant[], { waits }: History): readonly Violation[] {
  const tries = new Set(waits.filter(({ patienceMs }) => patienceMs === 0).map(nameOf));
  const waited = byToken(grants).filter((grant) => {
    const { wait, process } = grant;
    return wait !== undefined && !tries.has(nameOf({ process, number: wait }));
  });
  const entry = new Map(grants.map((grant, index) => [grant, index]));
  const entryOf = (grant: Grant): number => entry.get(grant) ?? 0;
  return waited.flatMap((grant, index) => {
    const before = waited[index - 1];
    if (!before || (before.wait ?? 0) < (grant.wait ?? 0)) return [];
    if (entryOf(before) > entryOf(grant)) return [];
    const message = `${describe(grant)} was passed within its process by ${describe(before)}`;
    return [{ promise: 'fairness', message }];
  });
}

/** A replica's processes are named `two.1`, `two.2` and so on, in the order of their starts. */
function replicaOf(process: string): string {
  return process.slice(0, process.lastIndexOf('.'));
}

function nameOf({
  process,
  number,
}: {
  readonly process: string;
  readonly number: number;
}): string {
  return `${process}#${String(number)}`;
}

function byToken(grants: readonly Grant[]): Grant[] {
  return grants.toSorted((one, other) => Number((one.token ?? 0n) - (other.token ?? 0n)));
}

function groupBy(grants: readonly Grant[], keyOf: (grant: Grant) => string): Grant[][] {
  const groups = new Map<string, Grant[]>();
  for (const grant of grants) {
    const key = keyOf(grant);
    groups.set(key, [...(groups.get(key) ?? []), grant]);
  }
  return [...groups.values()];
}
