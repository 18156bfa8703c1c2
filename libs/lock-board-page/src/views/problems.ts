import type { BoardOverview, BoardProblem } from '../board-api.js';
import { html, type View } from '../html.js';
import type { Board } from '../state/board.js';
import { hashOf } from '../state/route.js';
import { shownText } from '../text/shown-text.js';
import { ageText } from '../text/age-text.js';
import { ageOf } from './age.js';
import { countText, numberText } from '../text/words.js';

const SHOWN_AT_FIRST = 4;

/** Problems in the server's order, the worst first, each with its remedy. */
export function problemsSection(board: Board, overview: BoardOverview): View {
  const { problems, totalProblems, reading, stale } = overview;
  if (reading?.isFirst) {
    return html`
      <section class="problems none" aria-labelledby="problems">
        <h2 id="problems">Still reading</h2>
        <p class="quietly">It is not known yet whether there are problems.</p>
      </section>
    `;
  }
  if (problems.length === 0) {
    if (stale || board.state.away) return undefined;
    return html`
      <section class="problems none" aria-labelledby="problems">
        <h2 id="problems">No problems</h2>
        <p class="quietly">No deadlocks, long waits, long holds or foreign nodes.</p>
      </section>
    `;
  }
  const all = collapsed(overview);
  const shown = board.state.showsAllProblems ? all : all.slice(0, SHOWN_AT_FIRST);
  return html`
    <section class="problems" aria-labelledby="problems">
      <h2 id="problems">${countText(totalProblems, 'problem')}</h2>
      <ul>
        ${shown.map((problem) =>
          'all' in problem ? alikeItem(problem) : problemItem(problem, board.state.now, true),
        )}
      </ul>
      ${all.length > SHOWN_AT_FIRST && moreButton(board, all.length)}
    </section>
  `;
}

/** From this number on, problems of one kind are shown as one. */
const COLLAPSED_FROM = 3;

/** The maximum number of keys that are named in that case. */
const MOST_NAMED = 12;

/** Several problems of one kind, shown as one. */
interface Alike {
  readonly severity: BoardProblem['severity'];
  /** The keys are listed after it. */
  readonly text: string;
  readonly remedy: string;
  readonly all: readonly BoardProblem[];
}

function collapsed({
  problems,
  totalProblems,
  limits: { longHoldMs, longWaitMs },
}: BoardOverview): readonly (BoardProblem | Alike)[] {
  const groups = new Map<string, BoardProblem[]>();
  for (const problem of problems) {
    const id = `${problem.kind} ${problem.severity}`;
    groups.set(id, [...(groups.get(id) ?? []), problem]);
  }
  return [...groups.values()].flatMap((all): readonly (BoardProblem | Alike)[] => {
    const [{ kind, severity } = {}] = all;
    if (severity === undefined || all.length < COLLAPSED_FROM) return all;
    const keys = `${problems.length < totalProblems ? 'At least ' : ''}${countText(all.length, 'key')}`;
    if (kind === 'long-hold') {
      const text = `${keys} are held by calls that asked for them more than ${ageText(longHoldMs)} ago:`;
      const remedy = 'Find out what their holders are doing, and give such work a time limit.';
      return [{ severity, text, remedy, all }];
    }
    if (kind === 'long-wait') {
      const text = `${keys} have calls that have waited for longer than ${ageText(longWaitMs)}:`;
      return [{ severity, text, remedy: 'Find out who holds them, and for how long.', all }];
    }
    return all;
  });
}

function alikeItem({ severity, text, remedy, all }: Alike): View {
  const keys = all.slice(0, MOST_NAMED).map(({ key = '' }) => key);
  const more = all.length - keys.length;
  return item(
    severity,
    html`${text} ${keyLinks(keys)} ${more > 0 && `and ${numberText(more)} more`}`,
    remedy,
  );
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
  return item(severity, html`${keyLinks(linked)} ${textOf(problem, now)}`, remedy);
}

const item = (severity: BoardProblem['severity'], text: View, remedy: string): View => html`
  <li class=${severity}>
    <span class="severity">${severity}</span>
    <div>
      <p>${text}</p>
      <p class="remedy">${withCode(remedy)}</p>
    </div>
  </li>
`;

/** Options are in backticks, which remain visible, because paths of other programs can also contain them. */
const withCode = (text: string): readonly (View | string)[] =>
  text
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));

/** Looks for the last mark, because names of other programs come before it and can also contain one. */
function textOf({ text, since }: BoardProblem, now: number): View | string {
  const at = since === undefined ? -1 : text.lastIndexOf(AGE);
  if (at === -1 || since === undefined) return text;
  return html`${text.slice(0, at)}${ageOf(since, now)}${text.slice(at + AGE.length)}`;
}

const AGE = '{age}';

/** A line may break between them. */
const keyLinks = (keys: readonly string[]): readonly View[] =>
  keys.map((key) => html`${keyLink(key)}${' '}`);

export const keyLink = (key: string): View =>
  html`<a class="code" href=${hashOf({ view: 'key', key, offset: 0 })}>${shownText(key)}</a>`;
