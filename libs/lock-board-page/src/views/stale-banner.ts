import { html, type View } from '../html.js';
import type { Board } from '../state/board.js';
import { ageText } from '../text/age-text.js';

/** Shown while the data may be outdated. */
export function staleBanner(board: Board): View {
  const { away, overview } = board.state;
  if (away) {
    const ms = Date.now() - away.since;
    return banner(
      away.reason,
      `This is the state of ${ageText(ms)} ago. Retrying until it answers.`,
    );
  }
  if (overview?.stale) {
    const { since, reason } = overview.stale;
    return banner(
      'No connection to ZooKeeper.',
      html`
        This is the state of ${ageText(board.serverTime() - since)} ago. ${reason}${' '}
        <span class="consequence">
          Processes that also cannot reach it get no locks, and lose those that they hold.
        </span>
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

const banner = (title: string, text: string | View): View => html`
  <section class="banner" aria-label="Outdated">
    <strong>${title}</strong> <span>${text}</span>
  </section>
`;
