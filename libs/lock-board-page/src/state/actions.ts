import { postAction, RequestError } from '../data/requests.js';
import type { Board } from './board.js';
import { shownText } from '../text/shown-text.js';
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

/** If the browser does not let the page copy, as without HTTPS, shows the text so that the user can copy it. */
export async function copyText(board: Board, text: string): Promise<void> {
  const clipboard = navigator.clipboard as Clipboard | undefined;
  const isCopied = await clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  const notice = { isError: false, text: `${isCopied ? 'Copied' : 'Please copy this'}: ${text}` };
  board.update({ notice, announcement: notice.text });
}

/**
 * Sends the action. Success closes the dialog; an error is shown in it. If the user has left the dialog in
 * the meantime, either is shown as a notice.
 */
export async function confirmDialog(board: Board, entered: Entered): Promise<void> {
  const { dialog } = board.state;
  if (!dialog || dialog.isUnderWay) return;
  const sent: ActionDialog = { ...dialog, isUnderWay: true, error: undefined };
  board.update({ dialog: sent });
  const { text, isError, isRefused } = await resultOf(dialog, entered);
  const isLeft = board.state.dialog !== sent;
  if (isError && !isLeft) {
    board.update({ dialog: { ...sent, isUnderWay: false, error: text, isRefused } });
  } else {
    const told = isLeft ? `${shownText(dialog.key)}: ${text}` : text;
    const next = isLeft ? board.state.dialog : undefined;
    board.update({ dialog: next, notice: { isError, text: told }, announcement: told });
  }
  board.refreshNow();
}

interface Result {
  readonly text: string;
  readonly isError: boolean;
  readonly isRefused?: boolean;
}

async function resultOf(dialog: ActionDialog, entered: Entered): Promise<Result> {
  try {
    return { text: await send(dialog, entered), isError: false };
  } catch (error) {
    if (!(error instanceof RequestError)) return { text: String(error), isError: true };
    const { message: text, status = 500 } = error;
    // Another number of permits may be accepted.
    const isRefused = status < 500 && dialog.action !== 'setPermits';
    return { text, isError: true, isRefused };
  }
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
