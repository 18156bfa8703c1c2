import { html, type View } from '../html.js';
import type { BoardState } from '../state/board-state.js';

/** Name, navigation, and how the page learns of changes. */
export function topBar({ overview, route, link, away }: BoardState): View {
  const current = (isIt: boolean): string | undefined => (isIt ? 'page' : undefined);
  return html`
    <div class="top-bar">
      <span class="name">
        ${lockMark} Lock board
        ${overview?.connection && html`<span class="tag">${overview.connection}</span>`}
      </span>
      <nav aria-label="Views">
        <a href="#" aria-current=${current(route.view !== 'application')}>Keys</a>
        <a href="#application" aria-current=${current(route.view === 'application')}>
          This application
        </a>
      </nav>
      ${freshness(away || overview?.stale ? 'stale' : link)}
    </div>
  `;
}

const FRESHNESS = {
  connecting: 'connecting',
  live: 'live',
  polling: 'updated every 2 s',
  stale: 'stale',
};

const freshness = (state: keyof typeof FRESHNESS): View =>
  html`<span class="freshness ${state}"><i class="dot"></i>${FRESHNESS[state]}</span>`;

const lockMark = html`
  <svg class="mark" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
    <path d="M5 7V5a3 3 0 0 1 6 0v2" />
    <rect x="2" y="7" width="12" height="8" rx="2" />
  </svg>
`;
