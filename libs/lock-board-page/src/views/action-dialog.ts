import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { BoardKey } from '../board-api.js';
import { html, type View } from '../html.js';
import { closeDialog, confirmDialog } from '../state/actions.js';
import type { Board } from '../state/board.js';
import type { ActionDialog } from '../state/board-state.js';
import { shownText } from '../text/shown-text.js';
import { ACTION_WORDS, dialogText } from './dialog-text.js';

/** Asks for confirmation of an action. */
export function ActionDialogView(props: {
  readonly board: Board;
  readonly dialog: ActionDialog;
}): View {
  const { board, dialog } = props;
  const element = useRef<HTMLDialogElement>(null);
  const [typedKey, setTypedKey] = useState('');
  const [permits, setPermits] = useState(
    dialog.action === 'setPermits' ? String(dialog.total ?? '') : '',
  );
  // Opens the dialog before any key is pressed: until it is open, keys go to the page.
  useLayoutEffect(() => {
    const { current } = element;
    current?.showModal();
    current?.querySelector('input')?.focus();
    // Closing returns the focus; removing the dialog alone would not.
    return () => current?.close();
  }, []);
  // The action itself makes the contender leave.
  const isGone = dialog.isUnderWay !== true && isOver(dialog, board.state.key);
  const isTyped = dialog.action !== 'break' || typedKey === shownText(dialog.key);
  const isReady = isTyped && !isGone && dialog.isRefused !== true;
  const words = ACTION_WORDS[dialog.action];
  const confirm = (event: Event): void => {
    event.preventDefault();
    if (isReady) void confirmDialog(board, { typedKey, permits: Number(permits) });
  };
  return html`
    <dialog ref=${element} aria-labelledby="dialog-title" onClose=${() => closeDialog(board)}>
      <form onSubmit=${confirm}>
        <h2 id="dialog-title">${words.title}</h2>
        ${dialogText(dialog, board.state.now, isGone)}
        ${dialog.action === 'break' && keyField(shownText(dialog.key), typedKey, setTypedKey)}
        ${dialog.action === 'setPermits' && permitsField(permits, setPermits)}
        <p role="status" class="error">${dialog.error ?? (isGone && GONE)}</p>
        <div class="buttons">
          <button type="button" onClick=${() => element.current?.close()}>Cancel</button>
          <button
            type="submit"
            class=${words.isDangerous ? 'primary danger' : 'primary'}
            aria-disabled=${String(!isReady || dialog.isUnderWay === true)}
          >
            ${dialog.isUnderWay ? 'Waiting for the answer…' : words.confirm}
          </button>
        </div>
      </form>
    </dialog>
  `;
}

const GONE = 'This contender has left in the meantime: there is nothing left to break.';

/**
 * Whether what the dialog is about has gone: a lock that was released cannot be broken. A downgrade keeps the
 * token and changes the node, and all holders of a single node have nodes of the same name.
 */
function isOver(dialog: ActionDialog, key: BoardKey | undefined): boolean {
  if (dialog.action !== 'break' || key?.key !== dialog.key) return false;
  const { holders, state, totalHolders, totalWaiting, waiters } = key;
  const isShown = [...holders, ...waiters].some(({ token }) => token === dialog.contender.token);
  const areAllShown = holders.length === totalHolders && waiters.length === totalWaiting;
  return !isShown && areAllShown && state === undefined;
}

const keyField = (key: string, value: string, set: (value: string) => void): View => html`
  <label class="field">
    <span>Type the key <span class="code">${key}</span> to break it</span>
    <input
      class="code"
      type="text"
      autocomplete="off"
      autocapitalize="off"
      spellcheck=${false}
      value=${value}
      onInput=${(event: InputEvent) => set(valueOf(event))}
    />
  </label>
`;

const permitsField = (value: string, set: (value: string) => void): View => html`
  <label class="field">
    <span>Permits</span>
    <input
      type="number"
      min="0"
      step="1"
      required
      value=${value}
      onInput=${(event: InputEvent) => set(valueOf(event))}
    />
  </label>
`;

const valueOf = (event: InputEvent): string => (event.currentTarget as HTMLInputElement).value;
