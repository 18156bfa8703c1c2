import type { Board } from './board.js';

/** `/` focuses the filter, arrows move between rows, Escape goes back. Enter follows the focused link. */
export function listenToKeys(board: Board): void {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    // The browser handles keys in a modal dialog, and the state learns of its end only later.
    if (document.querySelector('dialog[open]')) return;
    if (press(board, event.key, event.target)) event.preventDefault();
  });
}

/** @returns whether the key was handled */
function press(board: Board, key: string, target: EventTarget | null): boolean {
  const isFilter = target instanceof HTMLInputElement && target.type === 'search';
  switch (key) {
    case '/':
      if (target instanceof HTMLInputElement && target.type !== 'checkbox') return false;
      return focusFilter(board);
    case 'Escape':
      return isFilter ? leaveFilter(board, target) : goBack(board);
    case 'ArrowDown':
      return moveFocus(1, isFilter);
    case 'ArrowUp':
      return moveFocus(-1, false);
    default:
      return false;
  }
}

function focusFilter(board: Board): boolean {
  if (board.state.route.view === 'keys') {
    selectFilter();
  } else {
    location.hash = board.listPlace.hash;
    // The list is rendered on this event.
    addEventListener('hashchange', selectFilter, { once: true });
  }
  return true;
}

function selectFilter(): void {
  const filter = document.querySelector<HTMLInputElement>('input[type=search]');
  filter?.focus();
  filter?.select();
}

function leaveFilter(board: Board, filter: HTMLInputElement): boolean {
  if (filter.value === '') filter.blur();
  else board.query({ filter: '' });
  return true;
}

function goBack(board: Board): boolean {
  if (board.state.route.view === 'keys') return false;
  location.hash = board.listPlace.hash;
  return true;
}

/** @param enters whether to go to the first row from outside the table */
function moveFocus(step: 1 | -1, enters: boolean): boolean {
  const links = [...document.querySelectorAll<HTMLElement>('.keys tbody a')];
  const at = links.findIndex((link) => link === document.activeElement);
  if (at === -1 && !enters) return false;
  links[at + step]?.focus();
  return true;
}
