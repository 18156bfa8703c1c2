import type { BoardKeyRow, BoardSort } from '../board-api.js';
import { html, type View } from '../html.js';
import type { Board } from '../state/board.js';
import { hashOf, type KeysQuery } from '../state/route.js';
import { shownText } from '../text/shown-text.js';
import { countText, kindText, numberText, ownerText, placeText, stateText } from '../text/words.js';
import { ageOf } from './age.js';
import { queueBar } from './queue-bar.js';

interface Column {
  readonly sort?: BoardSort;
  readonly name: string;
  /** The order after the first click. */
  readonly first?: 'asc' | 'desc';
  /** The smallest `since` is the greatest age. */
  readonly isReversed?: boolean;
  readonly className: string;
}

const COLUMNS: readonly Column[] = [
  { name: 'Key', sort: 'key', className: 'key' },
  { name: 'Kind', sort: 'kind', className: 'kind' },
  { name: 'Holder', sort: 'holder', className: 'holder' },
  { name: 'Label', className: 'label' },
  { name: 'Age', sort: 'since', isReversed: true, className: 'age' },
  { name: 'Waiting', sort: 'waiting', first: 'desc', className: 'waiting' },
];

/**
 * Explicit roles: narrow screens show rows as cards, and some browsers drop the roles of a table whose
 * `display` is not that of a table.
 */
export function keysTable(board: Board, query: KeysQuery, rows: readonly BoardKeyRow[]): View {
  return html`
    <table role="table" aria-labelledby="keys">
      <caption class="visually-hidden">
        Keys, who holds each, how long ago its holder asked for it, and how many wait
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          ${COLUMNS.map((column) => header(board, query, column))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${rows.map((row) => keyRow(row, board.state.now))}
      </tbody>
    </table>
  `;
}

function header(board: Board, query: KeysQuery, column: Column): View {
  const { sort, name, className } = column;
  if (!sort) return html`<th role="columnheader" scope="col" class=${className}>${name}</th>`;
  const isSorted = query.sort === sort;
  const isAscending = (query.order === 'asc') !== (column.isReversed ?? false);
  const order = isSorted ? (query.order === 'asc' ? 'desc' : 'asc') : (column.first ?? 'asc');
  return html`
    <th
      role="columnheader"
      scope="col"
      class=${className}
      aria-sort=${isSorted ? (isAscending ? 'ascending' : 'descending') : 'none'}
    >
      <button type="button" onClick=${() => board.query({ sort, order })}>
        ${name}<span class="arrow" aria-hidden="true">${isAscending ? '↑' : '↓'}</span>
      </button>
    </th>
  `;
}

function keyRow(row: BoardKeyRow, now: number): View {
  const { key, kind, mode, holder, waiting, since } = row;
  const href = hashOf({ view: 'key', key, offset: 0 });
  return html`
    <tr role="row" key=${key} onClick=${(event: MouseEvent) => openRow(event, href)}>
      <th role="rowheader" scope="row" class="key">
        <a class="code" href=${href} title=${shownText(key)}>${shownText(key)}</a>
      </th>
      <td role="cell" class="kind">
        ${kind === 'lock' && mode ? `${kindText(kind)} · ${mode}` : kindText(kind)}
      </td>
      <td role="cell" class="holder">${holderText(row)}</td>
      <td role="cell" class="label" title=${holder?.label}>${holder?.label}</td>
      <td role="cell" class="age">${since !== undefined && ageOf(since, now)}</td>
      <td role="cell" class="waiting">
        ${queueBar(waiting)}<span class=${waiting > 0 ? 'count' : 'count zero'}
          >${numberText(waiting)}</span
        >
        <span class="unit"> waiting</span>
      </td>
    </tr>
  `;
}

function holderText({ holder, holders, isKept, state, permits, waiting }: BoardKeyRow): View {
  const isRefused = state === 'refused';
  const mark = isRefused && html` <span class="tag warning">calls are refused</span>`;
  if (!holder && state) return html`${mark || stateText(state)}`;
  if (!holder) return html`<span class="quietly">${waiting > 0 ? 'no holder' : 'free'}</span>`;
  return html`
    ${mark}
    ${permits !== undefined && html`<span>${`${numberText(holders)} of ${countText(permits, 'permit')} · `}</span>`}
    <span class="owner">${ownerText(holder)}</span>
    ${holder.revokedAt !== undefined && html` <span class="tag warning">asked to release</span>`}
    ${isKept && html` <span class="tag">kept</span>`}
    ${holders > 1 && html` <span class="more">+${numberText(holders - 1)}</span>`}${' '}
    <span class="place">${placeText(holder)}</span>
  `;
}

/** The whole row is a target for the mouse. Its link serves the keyboard. */
function openRow(event: MouseEvent, href: string): void {
  const isLink = event.target instanceof Element && event.target.closest('a') !== null;
  const isSelecting = getSelection()?.toString() !== '';
  if (!isLink && !isSelecting) location.hash = href;
}
