import { html, type View } from '../html.js';
import { type BoardState, isListed } from '../state/board-state.js';
import type { Board } from '../state/board.js';
import { ageText } from '../text/age-text.js';
import { staleText } from '../text/words.js';

/** Shown while the data may be outdated. */
export function staleBanner(board: Board): View {
  const { away, overview, route } = board.state;
  if (away !== undefined) {
    const retrying = 'Retrying until it answers.';
    const takenAt = isShown(board.state) ? board.state.takenAt?.[route.view] : undefined;
    if (takenAt === undefined) return banner(away, retrying);
    return banner(away, `${stateOf(board, takenAt)} ${retrying}`);
  }
  if (overview?.stale) {
    const { since, reason, isConnected } = overview.stale;
    return banner(
      staleText(overview.stale),
      html`
        ${stateOf(board, since)} ${reason}${' '}
        ${
          !isConnected &&
          html`<span class="consequence">
            Processes that also cannot reach it get no locks, and lose those that they hold.
          </span>`
        }
      `,
    );
  }
  if (overview?.reading) {
    const { since, isFirst } = overview.reading;
    const span = ageText(board.serverTime() - since);
    return banner(
      'Still reading.',
      isFirst
        ? `Nothing to show yet, after ${span}.`
        : `Changes of the last ${span} are not shown yet.`,
    );
  }
  return undefined;
}

/** Whether there is something to show at the present address. */
const isShown = (state: BoardState): boolean => {
  const { route, key } = state;
  return route.view === 'key' ? key?.key === route.key : route.view !== 'keys' || isListed(state);
};

const stateOf = (board: Board, time: number): string =>
  `This is the state of ${ageText(board.serverTime() - time)} ago.`;

const banner = (title: string, text: string | View): View => html`
  <section class="banner" aria-label="Outdated">
    <strong>${title}</strong> <span>${text}</span>
  </section>
`;
