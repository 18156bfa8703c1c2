import type { BoardContender, BoardKey } from '../board-api.js';
import { html, type View } from '../html.js';
import type { Board } from '../state/board.js';
import { hashOf } from '../state/route.js';
import { shownText } from '../text/shown-text.js';
import { countText, numberText } from '../text/words.js';
import { ageOf } from './age.js';
import { breakColumn } from './break-column.js';
import { columnOf, labelColumn, WHO } from './contender.js';
import { dataTable } from './data-table.js';
import { pager } from './pager.js';
import { keyLink } from './problems.js';

/** The waiting calls, in the order in which they get the lock. */
export function queueSection(board: Board, key: BoardKey): View {
  const { kind, totalWaiting, waiters } = key;
  const isElection = kind === 'election';
  if (totalWaiting === 0) {
    return html`
      <section aria-labelledby="queue">
        <h2 id="queue">${isElection ? 'Candidates' : 'Queue'}</h2>
        <p class="empty">${isElection ? 'No other candidates.' : 'No calls are waiting.'}</p>
      </section>
    `;
  }
  const { route } = board.state;
  const offset = route.view === 'key' ? route.offset : 0;
  const go = (to: number): void => {
    location.hash = hashOf({ view: 'key', key: key.key, offset: to });
  };
  const title = isElection
    ? countText(totalWaiting, 'candidate')
    : `${numberText(totalWaiting)} waiting`;
  return html`
    <section aria-labelledby="queue">
      <div class="toolbar">
        <h2 id="queue">${title}</h2>
        ${totalWaiting > waiters.length && pager(offset, waiters.length, totalWaiting, go)}
      </div>
      ${
        waiters.length > 0
          ? table(board, key, offset)
          : html`<p class="empty">
              There is nothing to show from number ${numberText(offset + 1)} on.
              ${
                offset > 0 &&
                html`<button type="button" class="quiet" onClick=${() => go(0)}>
                  Show the first ones
                </button>`
              }
            </p>`
      }
    </section>
  `;
}

function table(board: Board, { key, kind, waiters }: BoardKey, offset: number): View {
  return dataTable({
    heading: 'queue',
    caption: `Who waits for ${shownText(key)}, first come first served`,
    rows: waiters,
    idOf: ({ node }) => node,
    columns: [
      {
        name: '#',
        className: 'position',
        isTitle: true,
        value: (_waiter, index) => numberText(offset + index + 1),
      },
      WHO,
      labelColumn(waiters),
      kind === 'lock' && columnOf('Mode', 'mode', waiters, 'soft'),
      columnOf('Permits', 'permits', waiters, 'number'),
      {
        name: 'Waiting',
        className: 'age',
        value: ({ since }) => since !== undefined && ageOf(since, board.state.now),
      },
      waiters.some(({ holds = [] }) => holds.length > 0) && {
        name: 'Also holds',
        className: 'code',
        value: ({ holds = [] }: BoardContender) => holds.map(keyLink),
      },
      // Without a session, no shutdown or crash removes them.
      breakColumn(
        board,
        key,
        waiters.filter(({ isEphemeral }) => !isEphemeral),
      ),
    ],
  });
}
