import type { BoardContender, BoardKey, BoardOverview } from '../../board-api.js';
import { html, type View } from '../html.js';
import { openDialog } from '../state/actions.js';
import type { Board } from '../state/board.js';
import { spanText } from '../text/words.js';
import { cell, columnHeader, contenderCell } from './contender.js';

/** Who holds the key, each with the token that its writes carry. */
export function holdersSection(board: Board, key: BoardKey, { may }: BoardOverview): View {
  const { holders, kind } = key;
  const title =
    kind === 'election' ? 'Leader' : holders.length > 1 ? `${holders.length} holders` : 'Holder';
  return html`
    <section aria-labelledby="holders">
      <h2 id="holders">${title}</h2>
      ${
        holders.length === 0
          ? html`<p class="empty">
              ${kind === 'election' ? 'There is no leader.' : 'It is free.'}
            </p>`
          : table(board, key, may.break)
      }
    </section>
  `;
}

function table(board: Board, { key, kind, holders }: BoardKey, mayBreak: boolean): View {
  const hasMode = kind === 'lock' && holders.some(({ mode }) => mode !== undefined);
  const hasLabel = holders.some(({ label }) => label !== undefined);
  return html`
    <table role="table" class="contenders" aria-labelledby="holders">
      <caption class="visually-hidden">
        Who holds ${key}
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          ${columnHeader('Application')} ${hasLabel && columnHeader('Label')}
          ${hasMode && columnHeader('Mode')}
          ${kind === 'semaphore' && columnHeader('Permits', 'number')}
          ${columnHeader('Held for', 'age')} ${columnHeader('Token')} ${columnHeader('Session')}
          ${mayBreak && html`<th role="columnheader" scope="col"><span class="visually-hidden">Action</span></th>`}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${holders.map(
          (holder) => html`
            <tr role="row" key=${holder.node}>
              ${contenderCell(holder)} ${hasLabel && cell('Label', 'label', holder.label)}
              ${hasMode && cell('Mode', 'mode', holder.mode)}
              ${kind === 'semaphore' && cell('Permits', 'number', holder.permits ?? 1)}
              ${cell('Held for', 'age', spanText(board.state.now - holder.since))}
              ${cell('Token', 'code', holder.token)} ${cell('Session', 'code', holder.session)}
              ${mayBreak && html`<td role="cell" class="act">${breakButton(board, key, holder)}</td>`}
            </tr>
          `,
        )}
      </tbody>
    </table>
  `;
}

/** Only what was seen can be broken: a node with its token, or one that is not ours. */
function breakButton(board: Board, key: string, contender: BoardContender): View {
  if (contender.token === undefined && !contender.isForeign) return undefined;
  return html`
    <button
      type="button"
      class="danger"
      onClick=${() => openDialog(board, { action: 'break', key, contender })}
    >
      Break…
    </button>
  `;
}
