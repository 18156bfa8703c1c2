import { h } from 'preact';
import type { Board } from '../state/board.js';
import { html, type View } from '../html.js';
import { ActionDialogView } from './action-dialog.js';
import { applicationView } from './application.js';
import { keyPage } from './key-page.js';
import { keysPage } from './keys-page.js';
import { staleBanner } from './stale-banner.js';
import { statusLine } from './status-line.js';
import { topBar } from './top-bar.js';

/** The whole page. */
export function app(board: Board): View {
  const { state } = board;
  const { stale, reading } = state.overview ?? {};
  const isStale = [state.away, stale, reading].some((reason) => reason !== undefined);
  return html`
    <div class=${isStale ? 'board is-stale' : 'board'}>
      <header>${topBar(state)} ${statusLine(state)}</header>
      ${staleBanner(board)}
      <div class="messages">${statusRegion(board)}</div>
      <main aria-busy=${state.overview === undefined ? 'true' : 'false'}>${content(board)}</main>
      <footer class="hints" aria-hidden="true">
        <span><kbd>/</kbd> filter</span>
        <span><kbd>↑</kbd> <kbd>↓</kbd> rows</span>
        <span><kbd>Enter</kbd> open</span>
        <span><kbd>Esc</kbd> back</span>
      </footer>
      ${state.dialog && h(ActionDialogView, { board, dialog: state.dialog, key: state.dialog.action })}
    </div>
  `;
}

/** The only live region outside of dialogs. Results of actions are visible; other changes are for screen readers. */
function statusRegion(board: Board): View {
  const { announcement, notice } = board.state;
  return html`
    <div role="status">
      ${
        notice
          ? html`<p class=${notice.isError ? 'notice error' : 'notice'}>${notice.text}</p>`
          : html`<p class="visually-hidden">${announcement}</p>`
      }
    </div>
    ${
      notice &&
      html`<button
        type="button"
        class="quiet"
        onClick=${() => board.update({ notice: undefined, announcement: '' })}
      >
        Dismiss
      </button>`
    }
  `;
}

function content(board: Board): View {
  const { overview, route } = board.state;
  if (!overview) return html`<p class="empty">Loading…</p>`;
  switch (route.view) {
    case 'keys':
      return keysPage(board, overview);
    case 'key':
      return keyPage(board, overview, route);
    case 'application':
      return applicationView(overview);
  }
}
