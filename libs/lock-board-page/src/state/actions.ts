import { postAction, RequestError } from '../data/requests.js';
import type { Board } from './board.js';
import type { ActionDialog } from './board-state.js';

/** Input of the dialog. */
export interface Entered {
  readonly typedKey: string;
  readonly permits: number;
}

export function openDialog(board: Board, dialog: ActionDialog): void {
  board.update({ dialog });
}

export function closeDialog(board: Board): void {
  board.update({ dialog: undefined });
}

/** Where the browser does not let the page copy, as without HTTPS, the text is shown to be copied. */
export async function copyText(board: Board, text: string): Promise<void> {
  const clipboard = navigator.clipboard as Clipboard | undefined;
  const isCopied = await clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  const notice = { isError: false, text: `${isCopied ? 'Copied' : 'Please copy this'}: ${text}` };
  board.update({ notice, announcement: notice.text });
}

/** Sends the action. Success closes the dialog; an error is shown in it. */
export async function confirmDialog(board: Board, entered: Entered): Promise<void> {
  const { dialog } = board.state;
  if (!dialog || dialog.isUnderWay) return;
  board.update({ dialog: { ...dialog, isUnderWay: true, error: undefined } });
  try {
    const text = await send(dialog, entered);
    board.update({ dialog: undefined, notice: { isError: false, text }, announcement: text });
  } catch (error) {
    const text = error instanceof RequestError ? error.message : String(error);
    const isRefused = error instanceof RequestError && (error.status ?? 500) < 500;
    board.update({ dialog: { ...dialog, isUnderWay: false, error: text, isRefused } });
  }
  board.refreshNow();
}

function send(dialog: ActionDialog, { typedKey, permits }: Entered): Promise<string> {
  const { key } = dialog;
  switch (dialog.action) {
    case 'revoke':
      return postAction('revoke', { key });
    case 'break': {
      const { node, token, isForeign } = dialog.contender;
      return postAction('break', {
        key,
        node,
        token,
        typedKey,
        ...(isForeign ? { foreign: true } : undefined),
      });
    }
    case 'setPermits':
      return postAction('set-permits', { key, permits });
    case 'resign':
      return postAction('resign', { key });
  }
}
