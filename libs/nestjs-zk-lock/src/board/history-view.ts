import {
  describeEvent,
  type History,
  timelineOf,
  type TreeContender,
  type TreeKey,
} from 'zk-locks/inspect';
import type { BoardEvent, BoardHistory, BoardHold, BoardWho } from './board-api.js';
import { whoIs } from './contender-view.js';

/** What has happened to a key, as far as the board's connection has seen it; undefined before it has looked. */
export function historyView(
  history: History,
  name: string,
  key: TreeKey | undefined,
): BoardHistory | undefined {
  const since = history.sinceOf(name);
  if (since === undefined) return undefined;
  const names = new Names();
  const past = history.of(name);
  const events = past.map((event): BoardEvent => {
    const { at, contender, ms, waiting } = event;
    return {
      ...{ at, event: event.event, who: names.of(contender), text: describeEvent(event), waiting },
      ...(ms !== undefined && { ms }),
    };
  });
  const holds = timelineOf(past, key?.holders ?? [], history.gaps).map(
    ({ contender, ...hold }): BoardHold => ({ ...hold, who: names.of(contender) }),
  );
  return {
    ...{ since, gaps: history.gaps, events, holds, who: names.all },
    hasCohorts: names.all.some(({ isShared }) => isShared),
  };
}

/** Each contender once, so that many events of it take little room. */
class Names {
  readonly all: BoardWho[] = [];
  readonly #indexes = new Map<string, number>();

  of(contender: TreeContender): number {
    const { mode } = contender;
    const who: BoardWho = { ...(mode === 'read' && { mode }), ...whoIs(contender) };
    const id = JSON.stringify(who);
    const known = this.#indexes.get(id) ?? this.all.push(who) - 1;
    this.#indexes.set(id, known);
    return known;
  }
}
