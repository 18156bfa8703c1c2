import type { BoardGroup } from '../board-api.js';
import { html, type View } from '../html.js';
import { hashOf, type KeysQuery } from '../state/route.js';
import { shownText } from '../text/shown-text.js';
import { numberText } from '../text/words.js';
import { ageOf } from './age.js';
import { type Column, dataTable } from './data-table.js';

/** Keys grouped by prefix; each group opens on demand. */
export function groupsTable(rows: readonly BoardGroup[], query: KeysQuery, now: number): View {
  return dataTable<BoardGroup>({
    heading: 'keys',
    caption: 'Groups of keys with the same prefix, how many are in use, and the longest wait',
    rows,
    idOf: ({ prefix }) => prefix,
    columns: [
      { name: 'Group', className: 'who', isTitle: true, value: (group) => link(group, query) },
      count('Keys', ({ keys }) => keys),
      count('Busy', ({ busy }) => busy),
      count('Waiting', ({ waiting }) => waiting),
      {
        name: 'Longest wait',
        className: 'age',
        value: ({ waitingSince }) => waitingSince !== undefined && ageOf(waitingSince, now),
      },
    ],
  });
}

function link({ prefix, only }: BoardGroup, query: KeysQuery): View {
  const href =
    only === undefined
      ? hashOf({ view: 'keys', query: { ...query, prefix, isGrouped: false, offset: 0 } })
      : hashOf({ view: 'key', key: only, offset: 0 });
  return html`<a class="code" href=${href}>${shownText(only ?? `${prefix}*`)}</a>`;
}

const count = (name: string, of: (group: BoardGroup) => number): Column<BoardGroup> => ({
  name,
  className: 'number',
  value: (group) =>
    html`<span class=${of(group) === 0 ? 'zero' : ''}>${numberText(of(group))}</span>`,
});
