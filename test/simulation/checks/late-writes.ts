import { byEntrance, describe } from '../../soak/checks/interference.js';
import type { Grant, History, Violation } from '../../soak/history/history.js';
import { GUARDED } from '../story/scene.js';
import type { Stage } from '../story/stage.js';

/** A transaction that checked the nodes of its writer's lock. */
export interface GuardedWrite {
  readonly key: string;
  readonly token: bigint;
  /** It rises from one write of a key to the next. */
  readonly number: number;
  /** When it got its place in the order of all writes; undefined where it is not known. */
  readonly at: number | undefined;
}

const NAME = new RegExp(`^${GUARDED}/([^/]+)/(\\d+)-(\\d+)$`);

/** A name has the token of its writer, and a number. */
export function guardedWritesOf({ servers, witness }: Stage): readonly GuardedWrite[] {
  return [...servers.view.below(GUARDED)].flatMap(({ path, czxid }) => {
    const [, key, token, number] = NAME.exec(path) ?? [];
    if (key === undefined || token === undefined) return [];
    return [{ key, token: BigInt(token), number: Number(number), at: witness.writtenAt(czxid) }];
  });
}

/** A guarded write was done when the next holder was inside. */
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
