import type { BoardKey, BoardOverview } from '../board-api.js';
import { html, type View } from '../html.js';
import type { Board } from '../state/board.js';
import { shownText } from '../text/shown-text.js';
import { keyActions } from './key-actions.js';
import { keyFacts } from './key-facts.js';
import { cohortSection } from './cohort.js';
import { historySection } from './history.js';
import { holdersSection } from './holders.js';
import { problemItem } from './problems.js';
import { queueSection } from './queue.js';

/** One key: problems, actions, holders, queue and facts. */
export function keyPage(
  board: Board,
  overview: BoardOverview,
  route: { readonly key: string; readonly offset: number },
): View {
  const key = board.state.key?.key === route.key ? board.state.key : undefined;
  return html`
    <article class="key-page">
      <a class="back" href=${board.listPlace.hash}>‹ All keys</a>
      <div class="heading">
        <h1 tabindex="-1" class="code">${shownText(route.key)}</h1>
        ${key && keyActions(board, key, overview)}
      </div>
      ${key ? details(board, key) : html`<p class="empty">Loading…</p>`}
    </article>
  `;
}

function details(board: Board, key: BoardKey): View {
  return html`
    ${keyProblems(key, board.state.now)}
    <div class="columns">
      <div>
        ${holdersSection(board, key)} ${cohortSection(key, board.state.now)}
        ${queueSection(board, key)} ${historySection(board, key)}
      </div>
      ${keyFacts(key, board.state.now)}
    </div>
  `;
}

function keyProblems({ problems }: BoardKey, now: number): View {
  if (problems.length === 0) return undefined;
  return html`
    <section class="problems" aria-label="Problems of this key">
      <ul>
        ${problems.map((problem) => problemItem(problem, now, false))}
      </ul>
    </section>
  `;
}
