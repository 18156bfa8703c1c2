import type { BoardContender } from '../board-api.js';
import { html } from '../html.js';
import { copyText } from '../state/actions.js';
import type { Board } from '../state/board.js';
import type { Column } from './data-table.js';

/** Buttons that copy the command for a terminal; `false` if no contender can be broken. */
export function commandColumn(
  board: Board,
  contenders: readonly BoardContender[],
): Column<BoardContender> | false {
  return (
    contenders.some(({ command }) => command !== undefined) && {
      name: 'Command',
      className: 'act',
      value: ({ command }) =>
        command !== undefined &&
        html`
          <button
            type="button"
            title=${command}
            aria-label="Copy the command that breaks this lock"
            onClick=${() => void copyText(board, command)}
          >
            Copy
          </button>
        `,
    }
  );
}
