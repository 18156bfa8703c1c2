import { html, type View } from '../html.js';
import type { Board } from '../state/board.js';
import { spanText } from '../text/words.js';

/** Shown while the data may be outdated. */
export function staleBanner(board: Board): View {
  const { away, overview } = board.state;
  if (away) {
    const ms = Date.now() - away.since;
    return banner(
      away.reason,
      `Shown as it was ${spanText(ms)} ago. Asking again until it answers.`,
    );
  }
  if (overview?.stale) {
    const { since, reason } = overview.stale;
    return banner(
      'No connection to ZooKeeper.',
      html`
        Shown as it was ${spanText(board.serverTime() - since)} ago. ${reason}
        <span class="consequence">
          A process that cannot reach it either gets no locks, and loses those that it holds when
          its session ends.
        </span>
      `,
    );
  }
  if (overview?.reading) {
    const { since, isFirst } = overview.reading;
    const span = spanText(board.serverTime() - since);
    return banner(
      'Still reading.',
      isFirst
        ? `There is nothing to show yet, after ${span}.`
        : `What has changed in the last ${span} is not shown yet.`,
    );
  }
  return undefined;
}

const banner = (title: string, text: string | View): View => html`
  <section class="banner" aria-label="Outdated">
    <strong>${title}</strong> <span>${text}</span>
  </section>
`;
