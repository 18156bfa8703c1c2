import type { BoardContender, BoardKind } from '../board-api.js';

const NUMBERS = new Intl.NumberFormat('en-US');

export const numberText = (value: number): string => NUMBERS.format(value);

/** `1 key`, `12 keys` */
export const countText = (count: number, one: string, many = `${one}s`): string =>
  `${numberText(count)} ${count === 1 ? one : many}`;

/** `12 s`, `4 min 05 s`, `3 h 12 min`, `5 d 3 h` */
export function spanText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${twoDigits(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${twoDigits(minutes % 60)} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** `web-3:4121`; empty for nodes that name no host. */
export function placeText({ host, pid }: BoardContender): string {
  if (host === undefined) return pid === undefined ? '' : `pid ${pid}`;
  return pid === undefined ? host : `${host}:${pid}`;
}

/** The application that a node names. */
export function ownerText(contender: BoardContender): string {
  if (contender.application !== undefined) return contender.application;
  return contender.isForeign ? 'another program' : 'unnamed application';
}

const KINDS: Readonly<Record<BoardKind, string>> = {
  lock: 'lock',
  semaphore: 'semaphore',
  election: 'election',
  'single-node': 'single node',
};

export const kindText = (kind: BoardKind): string => KINDS[kind];

/** In the time zone of the browser. */
export const timeText = (ms: number): string => new Date(ms).toLocaleString('en-GB');
