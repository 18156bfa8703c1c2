import type { BoardOverview, BoardProblem } from '../board-api.js';
import { html, type View } from '../html.js';
import type { Board } from '../state/board.js';
import { hashOf } from '../state/route.js';
import { shownText } from '../text/shown-text.js';
import { countText } from '../text/words.js';

const SHOWN_AT_FIRST = 4;

/** Problems in the server's order, the worst first, each with its remedy. */
export function problemsSection(board: Board, { problems, reading }: BoardOverview): View {
  if (reading?.isFirst) {
    return html`
      <section class="problems none" aria-labelledby="problems">
        <h2 id="problems">Still reading</h2>
        <p class="quietly">Whether there are problems is not known yet.</p>
      </section>
    `;
  }
  if (problems.length === 0) {
    return html`
      <section class="problems none" aria-labelledby="problems">
        <h2 id="problems">No problems</h2>
        <p class="quietly">No deadlocks, long waits, long holds or foreign nodes.</p>
      </section>
    `;
  }
  const shown = board.state.showsAllProblems ? problems : problems.slice(0, SHOWN_AT_FIRST);
  return html`
    <section class="problems" aria-labelledby="problems">
      <h2 id="problems">${countText(problems.length, 'problem')}</h2>
      <ul>
        ${shown.map((problem) => problemItem(problem, true))}
      </ul>
      ${problems.length > SHOWN_AT_FIRST && moreButton(board, problems.length)}
    </section>
  `;
}

function moreButton(board: Board, count: number): View {
  const showsAll = board.state.showsAllProblems;
  return html`
    <button
      type="button"
      class="quiet"
      aria-expanded=${String(showsAll)}
      onClick=${() => board.update({ showsAllProblems: !showsAll })}
    >
      ${showsAll ? 'Show fewer' : `Show ${count - SHOWN_AT_FIRST} more`}
    </button>
  `;
}

/** @param isLinked whether to show a link to the key */
export function problemItem(
  { severity, key, text, remedy }: BoardProblem,
  isLinked: boolean,
): View {
  return html`
    <li class=${severity}>
      <span class="severity">${severity}</span>
      <div>
        <p>${isLinked && key !== undefined && keyLink(key)} ${text}</p>
        <p class="remedy">${remedy}</p>
      </div>
    </li>
  `;
}

const keyLink = (key: string): View =>
  html`<a class="code" href=${hashOf({ view: 'key', key, offset: 0 })}>${shownText(key)}</a>`;
