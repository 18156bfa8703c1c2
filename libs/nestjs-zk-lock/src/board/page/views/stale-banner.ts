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
    const ms = board.serverTime() - overview.stale.since;
    return banner(
      'No connection to ZooKeeper.',
      `Shown as it was ${spanText(ms)} ago. ${overview.stale.reason}`,
    );
  }
  return undefined;
}

const banner = (title: string, text: string): View => html`
  <section class="banner" aria-label="Outdated">
    <strong>${title}</strong> <span>${text}</span>
  </section>
`;
