import type { BoardKeys, BoardOverview } from '../board-api.js';
import { html, type View } from '../html.js';
import type { Board } from '../state/board.js';
import { isListed } from '../state/board-state.js';
import type { KeysQuery } from '../state/route.js';
import { shownText } from '../text/shown-text.js';
import { countText } from '../text/words.js';
import { groupsTable } from './groups-table.js';
import { keysTable } from './keys-table.js';
import { pager } from './pager.js';
import { problemsSection } from './problems.js';

/** Problems, then all keys. */
export function keysPage(board: Board, overview: BoardOverview): View {
  const { route, keys, groups, away } = board.state;
  if (route.view !== 'keys') return undefined;
  const { query } = route;
  const isLoaded = isListed(board.state);
  const isMissing = !isLoaded && away !== undefined;
  const shown = query.isGrouped ? groups : keys;
  return html`
    <h1 class="visually-hidden">Locks below ${overview.root}</h1>
    ${problemsSection(board, overview)}
    <section class="keys" aria-labelledby="keys">
      <div class="toolbar" role="search" aria-label="Keys">
        <h2 id="keys">Keys</h2>
        ${filterBox(board, query)} ${busyBox(board, query)} ${groupsBox(board, query)}
        ${query.prefix !== '' && prefixTag(board, query)}
        ${shown && !isMissing && pager(shown.offset, shown.rows.length, shown.total, (offset) => board.query({ offset }), query.isGrouped ? 'group' : 'key')}
      </div>
      ${isMissing ? html`<p class="empty">Not loaded yet.</p>` : rowsOf(board, query, isLoaded)}
    </section>
  `;
}

/** @param isLoaded false while the rows are still those of the former query */
function rowsOf(board: Board, query: KeysQuery, isLoaded: boolean): View {
  const { keys, groups, now } = board.state;
  const shown = query.isGrouped ? groups : keys;
  if (shown?.rows.length === 0) return isLoaded ? noRows(board, query, shown) : undefined;
  if (query.isGrouped) return groups && groupsTable(groups.rows, query, now);
  return keys && keysTable(board, query, keys.rows);
}

const filterBox = (board: Board, { filter }: KeysQuery): View => html`
  <label class="filter">
    <span class="visually-hidden">Filter by key, application, host or label</span>
    <input
      type="search"
      placeholder="Filter by key, application, host or label"
      autocomplete="off"
      spellcheck=${false}
      value=${filter}
      onInput=${(event: InputEvent) => board.query({ filter: (event.currentTarget as HTMLInputElement).value })}
    />
    <kbd aria-hidden="true">/</kbd>
  </label>
`;

const busyBox = (board: Board, { isBusyOnly }: KeysQuery): View => html`
  <label class="check">
    <input
      type="checkbox"
      checked=${isBusyOnly}
      onChange=${() => board.query({ isBusyOnly: !isBusyOnly })}
    />
    Busy only
  </label>
`;

const groupsBox = (board: Board, { isGrouped }: KeysQuery): View => html`
  <label class="check">
    <input
      type="checkbox"
      checked=${isGrouped}
      onChange=${() => board.query({ isGrouped: !isGrouped, prefix: '' })}
    />
    Grouped
  </label>
`;

const prefixTag = (board: Board, { prefix }: KeysQuery): View => html`
  <span class="tag code">${shownText(prefix)}*</span>
  <button type="button" class="quiet" onClick=${() => board.query({ isGrouped: true, prefix: '' })}>
    All groups
  </button>
`;

function noRows(
  board: Board,
  { filter, isBusyOnly, isGrouped, offset, prefix }: KeysQuery,
  { isReading, total }: Pick<BoardKeys, 'isReading' | 'total'>,
): View {
  if (isReading) return html`<p class="empty">The keys are still being read.</p>`;
  if (offset > 0 && total > 0) {
    return html`<p class="empty">
      There ${total === 1 ? 'is' : 'are'} only ${countText(total, isGrouped ? 'group' : 'key')}.
      <button type="button" class="quiet" onClick=${() => board.query({})}>
        Show the first ones
      </button>
    </p>`;
  }
  const isFiltered = filter !== '' || isBusyOnly || prefix !== '';
  if (!isFiltered) return html`<p class="empty">No key is held, waited for or kept.</p>`;
  return html`<p class="empty">
    No key matches.
    <button
      type="button"
      class="quiet"
      onClick=${() => board.query({ filter: '', isBusyOnly: false, prefix: '' })}
    >
      Show all
    </button>
  </p>`;
}
