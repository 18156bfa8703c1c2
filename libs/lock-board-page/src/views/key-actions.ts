import type { BoardKey, BoardOverview } from '../board-api.js';
import { html, type View } from '../html.js';
import { openDialog } from '../state/actions.js';
import type { Board } from '../state/board.js';
import type { ActionDialog } from '../state/board-state.js';

/** Buttons for the actions that apply to this key and that this user may do. */
export function keyActions(board: Board, key: BoardKey, { may }: BoardOverview): View {
  const buttons = [
    may.revoke && key.totalHolders > 0 && isRevocable(key) && revoke(board, key),
    may.setPermits && key.permits?.sharedCount !== undefined && setPermits(board, key),
    may.resign && key.election?.isLeader && resign(board, key),
  ].filter((button) => typeof button === 'object');
  if (buttons.length === 0) return undefined;
  return html`<div class="actions">${buttons}</div>`;
}

const isRevocable = ({ kind }: BoardKey): boolean => kind === 'lock' || kind === 'single-node';

const revoke = (board: Board, { key, totalHolders: holders }: BoardKey): View =>
  button(board, 'Revoke…', { action: 'revoke', key, holders });

const setPermits = (board: Board, { key, permits }: BoardKey): View =>
  button(board, 'Set permits…', { action: 'setPermits', key, total: permits?.total });

const resign = (board: Board, { key }: BoardKey): View =>
  button(board, 'Resign…', { action: 'resign', key });

const button = (board: Board, text: string, dialog: ActionDialog): View =>
  html`<button type="button" onClick=${() => openDialog(board, dialog)}>${text}</button>`;
