import { contenderId, type TreeContender, type TreeKey } from 'zk-locks/inspect';

/** What a contender has done: it `waits`, `holds`, has `released` the key, or `left` the queue. */
export type ChangeName = 'holds' | 'waits' | 'released' | 'left';

export interface Change {
  readonly event: ChangeName;
  readonly key: string;
  readonly contender: TreeContender;
}

type Keys = ReadonlyMap<string, TreeKey>;

/** The changes between two looks at the tree: first the contenders that have gone, then the new ones. */
export function changesBetween(before: Keys, after: Keys): Change[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].flatMap((key) => changesOf(key, before.get(key), after.get(key)));
}

function changesOf(key: string, before: TreeKey | undefined, after: TreeKey | undefined): Change[] {
  if (before === after) return [];
  const [old, now] = [placesOf(before), placesOf(after)];
  const change = (event: ChangeName, contender: TreeContender): Change => ({
    event,
    key,
    contender,
  });
  const gone = [...old.values()]
    .filter(({ contender }) => !now.has(contenderId(contender)))
    .map(({ holds, contender }) => change(holds ? 'released' : 'left', contender));
  const come = [...now.values()]
    .filter((place) => !isSame(old.get(contenderId(place.contender)), place))
    .map(({ holds, contender }) => change(holds ? 'holds' : 'waits', contender));
  return [...gone, ...come];
}

interface Place {
  readonly holds: boolean;
  readonly contender: TreeContender;
}

/** A holder that upgrades or downgrades its lock holds it in another mode. */
function isSame(before: Place | undefined, { holds, contender }: Place): boolean {
  return before?.holds === holds && (!holds || before.contender.mode === contender.mode);
}

function placesOf(found: TreeKey | undefined): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  for (const contender of found?.holders ?? []) {
    places.set(contenderId(contender), { holds: true, contender });
  }
  for (const contender of found?.waiters ?? []) {
    places.set(contenderId(contender), { holds: false, contender });
  }
  return places;
}
