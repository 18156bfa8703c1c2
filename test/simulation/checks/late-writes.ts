import { byEntrance, describe } from '../../soak/checks/interference.js';
import type { Grant, History, Violation } from '../../soak/history/history.js';
import { GUARDED } from '../story/scene.js';
import type { Stage } from '../story/stage.js';

/** A write in a transaction that checked the nodes of its writer's lock. */
export interface GuardedWrite {
  readonly key: string;
  readonly token: bigint;
  /** Increases with each write of a key. */
  readonly number: number;
  /** When the leader ordered the write, if that is known. */
  readonly at: number | undefined;
}

const NAME = new RegExp(`^${GUARDED}/([^/]+)/(\\d+)-(\\d+)$`);

/** The name of each znode consists of its writer's token and a number. */
export function guardedWritesOf({ servers, witness }: Stage): readonly GuardedWrite[] {
  return [...servers.view.below(GUARDED)].flatMap(({ path, czxid }) => {
    const [, key, token, number] = NAME.exec(path) ?? [];
    if (key === undefined || token === undefined) return [];
    return [{ key, token: BigInt(token), number: Number(number), at: witness.writtenAt(czxid) }];
  });
}

/** A holder's guarded write must not be executed after the next holder has entered. */
export function checkLateWrites(
  { grants }: Pick<History, 'grants'>,
  writes: readonly GuardedWrite[],
): Violation[] {
  const exclusive = grants
    .filter(({ access, token }) => access === 'exclusive' && token !== undefined)
    .toSorted(byEntrance);
  return writes.flatMap(({ key, token, at = -Infinity }) => {
    const isNext = (grant: Grant): boolean =>
      grant.key === key && grant.enteredAt < at && (grant.token ?? 0n) > token;
    const next = exclusive.find(isNext);
    if (!next) return [];
    const message = `a guarded write to "${key}" with token ${String(token)} was done ${(at - next.enteredAt).toFixed(1)} ms after ${describe(next)} had entered`;
    return [{ promise: 'guarded writes', message }];
  });
}
