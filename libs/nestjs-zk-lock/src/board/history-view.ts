import {
  describeEvent,
  type History,
  timelineOf,
  type TreeContender,
  type TreeKey,
} from 'zk-locks/inspect';
import type { BoardEvent, BoardHistory, BoardHold, BoardWho } from './board-api.js';
import { whoIs } from './contender-view.js';
import { PAGE_ROWS } from './key-rows.js';

/** The events of a key that the board's connection has seen; undefined before its first look. */
export function historyView(
  history: History,
  name: string,
  key: TreeKey | undefined,
): BoardHistory | undefined {
  const since = history.sinceOf(name);
  if (since === undefined) return undefined;
  const past = history.of(name);
  const { holders = [] } = key ?? {};
  const listed = new Set(holders.slice(0, PAGE_ROWS));
  const drawn = timelineOf(past, holders, history.gaps).filter(
    ({ contender, until }) => until !== undefined || listed.has(contender),
  );
  const names = new Names([...past, ...drawn].map(({ contender }) => contender));
  const events = past.map((event): BoardEvent => {
    const { at, contender, ms, waiting } = event;
    return {
      ...{ at, event: event.event, who: names.of(contender), text: describeEvent(event), waiting },
      ...(ms !== undefined && { ms }),
    };
  });
  const holds = drawn.map(({ contender, ...hold }): BoardHold => ({
    ...hold,
    who: names.of(contender),
  }));
  return {
    ...{ since, gaps: history.gaps, events, holds, who: names.all },
    hasCohorts: names.all.some(({ isShared }) => isShared),
  };
}

/**
 * Lists each contender once, so that its many events stay small. In alphabetical order: the page colours
 * contenders by their indexes, which must not depend on the events that are still kept.
 */
class Names {
  readonly all: readonly BoardWho[];
  readonly #indexes: ReadonlyMap<string, number>;

  constructor(contenders: readonly TreeContender[]) {
    const known = new Map(contenders.map(nameOf).map((who) => [idOf(who), who]));
    const ids = [...known.keys()].sort();
    this.all = ids.flatMap((id) => known.get(id) ?? []);
    this.#indexes = new Map(ids.map((id, index) => [id, index]));
  }

  of(contender: TreeContender): number {
    return this.#indexes.get(idOf(nameOf(contender))) ?? -1;
  }
}

const idOf = (who: BoardWho): string => JSON.stringify(who);

function nameOf(contender: TreeContender): BoardWho {
  const { mode } = contender;
  return { ...(mode === 'read' && { mode }), ...whoIs(contender) };
}
