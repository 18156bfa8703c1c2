import type { BoardKey } from '../../board-api.js';
import { html, type View } from '../html.js';
import type { Board } from '../state/board.js';
import { hashOf } from '../state/route.js';
import { countText, numberText, spanText } from '../text/words.js';
import { cell, columnHeader, contenderCell } from './contender.js';
import { pager } from './pager.js';

/** Who waits, in the order in which they get their turn. */
export function queueSection(board: Board, key: BoardKey): View {
  const { totalWaiting, waiters, kind } = key;
  const isElection = kind === 'election';
  if (totalWaiting === 0) {
    return html`
      <section aria-labelledby="queue">
        <h2 id="queue">${isElection ? 'Candidates' : 'Queue'}</h2>
        <p class="empty">${isElection ? 'No other candidate.' : 'Nobody waits.'}</p>
      </section>
    `;
  }
  const offset = offsetOf(board);
  const go = (to: number): void => {
    location.hash = hashOf({ view: 'key', key: key.key, offset: to });
  };
  return html`
    <section aria-labelledby="queue">
      <div class="toolbar">
        <h2 id="queue">
          ${isElection ? countText(totalWaiting, 'candidate') : `${numberText(totalWaiting)} waiting`}
        </h2>
        ${totalWaiting > waiters.length && pager(offset, waiters.length, totalWaiting, go)}
      </div>
      ${table(key, offset, board.state.now)}
    </section>
  `;
}

function table({ key, kind, waiters }: BoardKey, offset: number, now: number): View {
  const hasMode = kind === 'lock' && waiters.some(({ mode }) => mode !== undefined);
  const hasLabel = waiters.some(({ label }) => label !== undefined);
  const hasPermits = waiters.some(({ permits }) => permits !== undefined);
  const hasHolds = waiters.some(({ holds = [] }) => holds.length > 0);
  return html`
    <table role="table" class="contenders queue" aria-labelledby="queue">
      <caption class="visually-hidden">
        Who waits for ${key}, first come first served
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          ${columnHeader('#', 'place-number')} ${columnHeader('Application')}
          ${hasLabel && columnHeader('Label')} ${hasMode && columnHeader('Mode')}
          ${hasPermits && columnHeader('Permits', 'number')} ${columnHeader('Waits for', 'age')}
          ${hasHolds && columnHeader('Holds meanwhile')} ${columnHeader('Session')}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${waiters.map(
          (waiter, index) => html`
            <tr role="row" key=${waiter.node}>
              <td role="cell" class="place-number">${numberText(offset + index + 1)}</td>
              ${contenderCell(waiter)} ${hasLabel && cell('Label', 'label', waiter.label)}
              ${hasMode && cell('Mode', 'mode', waiter.mode)}
              ${hasPermits && cell('Permits', 'number', waiter.permits)}
              ${cell('Waits for', 'age', spanText(now - waiter.since))}
              ${hasHolds && cell('Holds meanwhile', 'code holds', waiter.holds?.join(' '))}
              ${cell('Session', 'code', waiter.session)}
            </tr>
          `,
        )}
      </tbody>
    </table>
  `;
}

function offsetOf(board: Board): number {
  const { route } = board.state;
  return route.view === 'key' ? route.offset : 0;
}
