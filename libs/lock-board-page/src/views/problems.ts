import type { BoardOverview, BoardProblem } from '../board-api.js';
import { html, type View } from '../html.js';
import type { Board } from '../state/board.js';
import { hashOf } from '../state/route.js';
import { shownText } from '../text/shown-text.js';
import { countText, spanText } from '../text/words.js';

const SHOWN_AT_FIRST = 4;

/** Problems in the server's order, the worst first, each with its remedy. */
export function problemsSection(board: Board, { problems, reading, limits }: BoardOverview): View {
  if (reading?.isFirst) {
    return html`
      <section class="problems none" aria-labelledby="problems">
        <h2 id="problems">Still reading</h2>
        <p class="quietly">It is not known yet whether there are problems.</p>
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
  const all = collapsed(problems, limits);
  const shown = board.state.showsAllProblems ? all : all.slice(0, SHOWN_AT_FIRST);
  return html`
    <section class="problems" aria-labelledby="problems">
      <h2 id="problems">${countText(problems.length, 'problem')}</h2>
      <ul>
        ${shown.map((problem) => problemItem(problem, board.state.now, true))}
      </ul>
      ${all.length > SHOWN_AT_FIRST && moreButton(board, all.length)}
    </section>
  `;
}

/** From so many on, problems of one kind are shown as one. */
const COLLAPSED_FROM = 3;

/** The most keys that are named then. */
const MOST_NAMED = 12;

function collapsed(
  problems: readonly BoardProblem[],
  { longHoldMs, longWaitMs }: BoardOverview['limits'],
): readonly BoardProblem[] {
  const texts: Partial<Record<BoardProblem['kind'], (count: number) => string>> = {
    'long-hold': (count) =>
      `${countText(count, 'lock')} held for longer than ${spanText(longHoldMs)}.`,
    'long-wait': (count) =>
      `${countText(count, 'key')} with calls that have waited for longer than ${spanText(longWaitMs)}.`,
  };
  const groups = new Map<string, BoardProblem[]>();
  for (const problem of problems) {
    const id = `${problem.kind} ${problem.severity}`;
    groups.set(id, [...(groups.get(id) ?? []), problem]);
  }
  return [...groups.values()].flatMap((alike) => {
    const [first] = alike;
    const text = first && texts[first.kind];
    if (!text || alike.length < COLLAPSED_FROM) return alike;
    const { kind, severity, remedy } = first;
    const keys = alike.map(({ key = '' }) => key).slice(0, MOST_NAMED);
    const more = alike.length > keys.length ? ` (${alike.length - keys.length} more)` : '';
    return [{ kind, severity, keys, remedy, text: `${more} ${text(alike.length)}`.trim() }];
  });
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

/** @param isLinked whether to show a link to the key; a deadlock's keys always have one */
export function problemItem(problem: BoardProblem, now: number, isLinked: boolean): View {
  const { severity, key, keys, remedy } = problem;
  const linked = keys ?? (isLinked && key !== undefined ? [key] : []);
  return html`
    <li class=${severity}>
      <span class="severity">${severity}</span>
      <div>
        <p>${linked.map(keyLink)} ${textOf(problem, now)}</p>
        <p class="remedy">${withCode(remedy)}</p>
      </div>
    </li>
  `;
}

/** Names of options and methods stand between backticks. */
const withCode = (text: string): readonly (View | string)[] =>
  text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));

/** Names of others stand before the mark, and may have one as well. */
function textOf({ text, since }: BoardProblem, now: number): string {
  const at = since === undefined ? -1 : text.lastIndexOf(AGE);
  if (at === -1 || since === undefined) return text;
  return `${text.slice(0, at)}${spanText(now - since)}${text.slice(at + AGE.length)}`;
}

const AGE = '{age}';

export const keyLink = (key: string): View =>
  html`<a class="code" href=${hashOf({ view: 'key', key, offset: 0 })}>${shownText(key)}</a>`;
