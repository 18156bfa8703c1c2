import { render } from 'preact';
import { LiveChanges } from './data/live-changes.js';
import { changesAddress } from './data/requests.js';
import { Board } from './state/board.js';
import { listenToKeys } from './state/keyboard.js';
import { app } from './views/app.js';
import { followRoute } from './views/focus.js';

const root = document.getElementById('board');
if (root) start(root);

function start(place: HTMLElement): void {
  const board = new Board(() => {
    render(app(board), place);
    followRoute(board);
  });
  board.update({});
  window.addEventListener('hashchange', () => board.routeChanged());
  listenToKeys(board);
  setInterval(() => {
    if (!document.hidden) board.tick();
  }, 1_000);
  const live = new LiveChanges(changesAddress, {
    changed: () => board.refresh(),
    linkChanged: (link) => board.update({ link }),
  });
  live.followVisibility();
}
