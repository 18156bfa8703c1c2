import { czxidOf } from '../../../libs/zk-locks/src/nodes/fencing-token.js';
import { describe } from '../../soak/checks/interference.js';
import type { Grant, History, Violation } from '../../soak/history/history.js';
import type { LockKind } from '../../workers/soak/protocol.js';

/** Lock kinds whose calls enter at the moment of their grant. */
const AT_ONCE: readonly LockKind[] = ['write', 'read', 'downgrade'];

/** Two readings of the clock in one turn of the event loop differ by nanoseconds. */
const SAME_TURN_MS = 0.01;

/**
 * When a lock is asked back, all calls of its process that hold it under the same node are told at
 * once. No other call gets the lock under this node after that.
 *
 * @param sharesNodes whether a process serves several calls under one node
 */
export function checkRequests(
  { grants }: Pick<History, 'grants'>,
  sharesNodes: (process: string) => boolean,
): Violation[] {
  const turns = new Map<string, Grant[]>();
  for (const grant of grants) {
    const { kind, queued, token, process, key } = grant;
    if (!AT_ONCE.includes(kind) || !queued || token === undefined || !sharesNodes(process))
      continue;
    const node = `${process} ${key} ${String(czxidOf(token))}`;
    turns.set(node, [...(turns.get(node) ?? []), grant]);
  }
  return [...turns.values()].flatMap((turn) => {
    const asked = turn.flatMap(({ askedBackAt }) => askedBackAt ?? []);
    if (asked.length === 0) return [];
    const first = Math.min(...asked);
    return turn.flatMap((grant) => unheard(grant, first));
  });
}

function unheard(grant: Grant, askedAt: number): readonly Violation[] {
  const { enteredAt, leftAt = Infinity, told, askedBackAt } = grant;
  const report = (what: string): Violation[] => [
    { promise: 'requests', message: `${describe(grant)} ${what}` },
  ];
  if (enteredAt > askedAt) return report('entered after its lock had been asked back');
  const until = Math.min(leftAt, told?.at ?? Infinity);
  const isHeard = askedBackAt !== undefined && askedBackAt - askedAt < SAME_TURN_MS;
  if (until <= askedAt || isHeard) return [];
  return report('was not told that its lock is asked back, as another call under its node was');
}
