import type { BoardContender } from '../board-api.js';
import { html, type View } from '../html.js';
import { openDialog } from '../state/actions.js';
import type { Board } from '../state/board.js';
import type { Column } from './data-table.js';

/** Buttons that break what the given contenders hold or block; `false` if no contender can be broken. */
export function breakColumn(
  board: Board,
  key: string,
  contenders: readonly BoardContender[],
): Column<BoardContender> | false {
  // Permits have no tokens, and cannot be broken.
  const isBreakable = (one: BoardContender): boolean =>
    one.token !== undefined && contenders.includes(one);
  return (
    board.state.overview?.may.break === true &&
    contenders.some(isBreakable) && {
      name: 'Action',
      className: 'act',
      isTitle: true,
      value: (one) => (isBreakable(one) ? button(board, key, one) : html`<span></span>`),
    }
  );
}

const button = (board: Board, key: string, contender: BoardContender): View => html`
  <button
    type="button"
    class="danger"
    onClick=${() => openDialog(board, { action: 'break', key, contender })}
  >
    Break…
  </button>
`;
