import type { BoardContender } from '../board-api.js';
import type { BoardState } from '../state/board-state.js';
import { countText, nobodyText, ownerText, staleText } from './words.js';

/** The text for screen readers after a change; undefined for most changes, to interrupt rarely. */
export function announcementOf(before: BoardState, after: BoardState): string | undefined {
  const lines = [
    ofConnection(before, after),
    ofProblems(before, after),
    ofFilter(before, after),
    ofHolder(before, after),
  ].filter((line) => line !== undefined);
  return lines.length === 0 ? undefined : lines.join(' ');
}

function ofConnection(before: BoardState, after: BoardState): string | undefined {
  const was = problemOf(before);
  const is = problemOf(after);
  if (is === was) return undefined;
  if (is !== undefined) return `${is} The page may be outdated.`;
  return 'Up to date again.';
}

const problemOf = ({ away, overview }: BoardState): string | undefined => {
  if (away !== undefined) return away;
  if (overview?.stale) return staleText(overview.stale);
  return overview?.reading ? 'Still reading.' : undefined;
};

function ofProblems(before: BoardState, after: BoardState): string | undefined {
  if (after.overview?.reading?.isFirst) return undefined;
  const was = before.overview?.totalProblems;
  const is = after.overview?.totalProblems ?? 0;
  if (was === undefined || was === is) return undefined;
  return is === 0 ? 'No problems.' : `${countText(is, 'problem')}.`;
}

function ofFilter(before: BoardState, after: BoardState): string | undefined {
  if (after.route.view !== 'keys' || !after.keys || after.keys === before.keys) {
    return undefined;
  }
  const { filter, isBusyOnly } = after.route.query;
  const text = `${countText(after.keys.total, 'key')} found.`;
  const isFiltered = filter !== '' || isBusyOnly;
  return isFiltered && after.keys.total !== before.keys?.total ? text : undefined;
}

function ofHolder(before: BoardState, after: BoardState): string | undefined {
  if (after.route.view !== 'key' || !before.key || !after.key) return undefined;
  if (before.key.key !== after.key.key) return undefined;
  const [was] = before.key.holders;
  const [is] = after.key.holders;
  if (identityOf(was) === identityOf(is)) return undefined;
  return is ? `Now held by ${ownerText(is)}.` : nobodyText(after.key);
}

/** A downgrade changes the node, and all holders of a single node have nodes of the same name. Permits have no tokens. */
const identityOf = (one: BoardContender | undefined): string | undefined => one?.token ?? one?.node;
