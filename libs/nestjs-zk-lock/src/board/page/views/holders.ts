import type { BoardContender, BoardKey, BoardOverview } from '../../board-api.js';
import { html, type View } from '../html.js';
import { openDialog } from '../state/actions.js';
import type { Board } from '../state/board.js';
import { countText, spanText } from '../text/words.js';
import { columnOf, WHO } from './contender.js';
import { dataTable } from './data-table.js';

/** The holders, with fencing token and session. */
export function holdersSection(board: Board, key: BoardKey, { may }: BoardOverview): View {
  return html`
    <section aria-labelledby="holders">
      <h2 id="holders">${titleOf(key)}</h2>
      ${
        key.holders.length === 0
          ? html`<p class="empty">
              ${key.kind === 'election' ? 'There is no leader.' : 'It is free.'}
            </p>`
          : table(board, key, may.break)
      }
    </section>
  `;
}

function titleOf({ kind, holders }: BoardKey): string {
  if (kind === 'election') return 'Leader';
  if (kind === 'semaphore') return `${countText(holders.length, 'permit')} taken`;
  return holders.length > 1 ? countText(holders.length, 'holder') : 'Holder';
}

function table(board: Board, { key, kind, holders }: BoardKey, mayBreak: boolean): View {
  return dataTable({
    heading: 'holders',
    caption: `Who holds ${key}; the age counts from when it was asked for`,
    rows: holders,
    idOf: ({ node }) => node,
    columns: [
      WHO,
      columnOf('Label', 'label', holders, 'label'),
      kind === 'lock' && columnOf('Mode', 'mode', holders, 'soft'),
      {
        name: 'Age',
        className: 'age',
        value: ({ since }) => spanText(board.state.now - since),
      },
      columnOf('Token', 'token', holders, 'code id'),
      columnOf('Session', 'session', holders, 'code id'),
      mayBreak &&
        // Permits have no tokens, and cannot be broken.
        holders.some(({ token }) => token !== undefined) && {
          name: 'Action',
          className: 'act',
          isTitle: true,
          value: (holder) => breakButton(board, key, holder),
        },
    ],
  });
}

const breakButton = (board: Board, key: string, contender: BoardContender): View => html`
  <button
    type="button"
    class="danger"
    onClick=${() => openDialog(board, { action: 'break', key, contender })}
  >
    Break…
  </button>
`;
