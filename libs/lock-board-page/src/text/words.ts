import type {
  BoardContender,
  BoardKey,
  BoardKeyState,
  BoardKind,
  BoardOverview,
  BoardWho,
} from '../board-api.js';

const NUMBERS = new Intl.NumberFormat('en-US');

export const numberText = (value: number): string => NUMBERS.format(value);

/** `1 key`, `12 keys` */
export const countText = (count: number, one: string, many = `${one}s`): string =>
  `${numberText(count)} ${count === 1 ? one : many}`;

/** `web-3:4121`; empty for nodes that name no host. */
export function placeText({ host, pid }: Pick<BoardContender, 'host' | 'pid'>): string {
  if (host === undefined) return pid === undefined ? '' : `pid ${pid}`;
  return pid === undefined ? host : `${host}:${pid}`;
}

/** The application that a node names. */
export function ownerText(contender: Pick<BoardContender, 'application' | 'isForeign'>): string {
  if (contender.application !== undefined) return contender.application;
  return contender.isForeign ? 'another program' : 'unnamed application';
}

/** `billing web-1:42 ship`. */
export function whoText(who: BoardWho): string {
  return [ownerText(who), placeText(who), who.label].filter(Boolean).join(' ');
}

const STATES: Readonly<Record<BoardKeyState, string>> = {
  refused: 'its directory has nodes for which calls are refused',
  hidden: 'an ACL hides its nodes',
  unread: 'it has too many nodes',
};

/** Why nothing is known of its holders, as a clause. */
export const stateText = (state: BoardKeyState): string => STATES[state];

/** Why no holder of a key is shown. */
export function nobodyText({ kind, state, isUnknown, totalWaiting }: BoardKey): string {
  if (isUnknown)
    return 'Nothing is known about this key: no call has used it recently, or it is misspelled.';
  if (state) return `Its holder is unknown: ${stateText(state)}.`;
  if (kind === 'election') return 'There is no leader.';
  return totalWaiting > 0 ? 'It has no holder.' : 'It is free.';
}

/** Why the data may be outdated. */
export const staleText = ({ isConnected }: NonNullable<BoardOverview['stale']>): string =>
  isConnected ? 'The locks cannot be read.' : 'No connection to ZooKeeper.';

const KINDS: Readonly<Record<BoardKind, string>> = {
  lock: 'lock',
  semaphore: 'semaphore',
  election: 'election',
  'single-node': 'single node',
};

export const kindText = (kind: BoardKind): string => KINDS[kind];

/** In the time zone of the browser. */
export const timeText = (ms: number): string => new Date(ms).toLocaleString('en-GB');

/** `14:02:07`, with the day where it is not that of `now`. */
export function clockText(ms: number, now: number): string {
  const [date, today] = [new Date(ms), new Date(now)];
  const isToday = date.toDateString() === today.toDateString();
  return isToday ? date.toLocaleTimeString('en-GB') : timeText(ms);
}
