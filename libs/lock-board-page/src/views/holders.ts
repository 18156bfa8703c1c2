import type { BoardContender, BoardKey } from '../board-api.js';
import { html, type View } from '../html.js';
import type { Board } from '../state/board.js';
import { shownText } from '../text/shown-text.js';
import { countText, nobodyText, numberText } from '../text/words.js';
import { ageOf } from './age.js';
import { breakColumn } from './break-column.js';
import { commandColumn } from './command-column.js';
import { columnOf, labelColumn, WHO } from './contender.js';
import { dataTable } from './data-table.js';

/** The holders, with fencing token and session. */
export function holdersSection(board: Board, key: BoardKey): View {
  return html`
    <section aria-labelledby="holders">
      <h2 id="holders">${titleOf(key)}</h2>
      ${
        key.holders.length === 0 ? html`<p class="empty">${nobodyText(key)}</p>` : table(board, key)
      }
      ${
        key.holders.length > 0 &&
        key.totalHolders > key.holders.length &&
        html`<p class="quietly">Only the first ${numberText(key.holders.length)} are shown.</p>`
      }
    </section>
  `;
}

function titleOf({ kind, totalHolders }: BoardKey): string {
  if (kind === 'election') return 'Leader';
  if (kind === 'semaphore') return `${countText(totalHolders, 'permit')} taken`;
  return totalHolders > 1 ? countText(totalHolders, 'holder') : 'Holder';
}

function table(board: Board, { key, kind, holders }: BoardKey): View {
  return dataTable({
    heading: 'holders',
    caption: `Who holds ${shownText(key)}; the age counts from when it was asked for`,
    rows: holders,
    idOf: ({ node }) => node,
    columns: [
      WHO,
      labelColumn(holders),
      kind === 'lock' && columnOf('Mode', 'mode', holders, 'soft'),
      {
        name: 'Age',
        className: 'age',
        value: ({ since }) => since !== undefined && ageOf(since, board.state.now),
      },
      holders.some(({ heldSince }) => heldSince !== undefined) && {
        name: 'Held for',
        className: 'age',
        value: ({ heldSince }: BoardContender) =>
          heldSince !== undefined && ageOf(heldSince, board.state.now),
      },
      columnOf('Token', 'token', holders, 'code id'),
      columnOf('Session', 'session', holders, 'code id'),
      commandColumn(board, holders),
      breakColumn(board, key, holders),
    ],
  });
}
