import { shownText } from '../text/shown-text.js';
import type { Board } from '../state/board.js';
import type { Route } from '../state/route.js';

let shown: Route | undefined;

/** Runs after each render: moves the focus to a page that was opened, and back to its row. */
export function followRoute(board: Board): void {
  const { route, overview, key, keys, groups } = board.state;
  document.title = titleOf(route, overview?.totalProblems ?? 0);
  const before = shown;
  if (before && isSame(before, route)) return;
  // The new content has not arrived yet.
  if (route.view === 'key' && key?.key !== route.key) return;
  if (route.view === 'keys' && !(route.query.isGrouped ? groups : keys)) return;
  shown = route;
  if (!before || (before.view === 'keys' && route.view === 'keys')) return;
  if (route.view === 'keys') focusRow(board.listPlace.key ?? '');
  else focusHeading();
}

function titleOf(route: Route, problems: number): string {
  const count = problems > 0 ? `(${problems}) ` : '';
  return `${count}${route.view === 'key' ? `${shownText(route.key)} · ` : ''}Lock board`;
}

const isSame = (a: Route, b: Route): boolean =>
  a.view === b.view && (a.view !== 'key' || b.view !== 'key' || a.key === b.key);

function focusHeading(): void {
  window.scrollTo(0, 0);
  document.querySelector<HTMLElement>('h1[tabindex]')?.focus();
}

function focusRow(key: string): void {
  const links = document.querySelectorAll<HTMLAnchorElement>('.keys tbody a');
  for (const link of links) {
    if (link.textContent === shownText(key)) link.focus();
  }
}
