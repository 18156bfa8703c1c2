import type { StageView } from '../../src/stage/stage-api.js';
import { html, type View } from './html.js';

/** The queue of the key in ZooKeeper. */
export function queue({ queue: places }: StageView, now: number): View {
  return html`
    <section aria-labelledby="queue">
      <h2 id="queue">The queue in ZooKeeper</h2>
      <ol class="queue">
        ${places.map(
          ({ node, replica, isHolder, since }) => html`
            <li key=${node} class=${isHolder ? 'holder' : ''}>
              <b class="replica ${replica}">${replica}</b>
              ${isHolder ? 'holds the lock' : 'is waiting'}
              <span class="quietly number">${askedText(since, now)}</span>
            </li>
          `,
        )}
      </ol>
      ${places.length === 0 && html`<p class="empty">No replica is asking for the lock.</p>`}
    </section>
  `;
}

const askedText = (since: number, now: number): string =>
  `asked ${Math.max(0, Math.round((now - since) / 1_000))} s ago`;
