import type { BoardContender, BoardKey } from '../board-api.js';
import { html, type View } from '../html.js';
import type { Board } from '../state/board.js';
import { shownText } from '../text/shown-text.js';
import { countText, stateText } from '../text/words.js';
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
    </section>
  `;
}

function nobodyText({ kind, state, isUnknown, totalWaiting }: BoardKey): string {
  if (isUnknown)
    return 'Nothing is known about this key: no call has used it recently, or it is misspelled.';
  if (state) return `Its holder is unknown: ${stateText(state)}.`;
  if (kind === 'election') return 'There is no leader.';
  return totalWaiting > 0 ? 'It has no holder.' : 'It is free.';
}

function titleOf({ kind, holders }: BoardKey): string {
  if (kind === 'election') return 'Leader';
  if (kind === 'semaphore') return `${countText(holders.length, 'permit')} taken`;
  return holders.length > 1 ? countText(holders.length, 'holder') : 'Holder';
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
