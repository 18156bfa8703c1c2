import { html, type View } from '../html.js';

/** The maximum number of strokes; the count is next to them. */
const MOST = 20;
const STEP = 4;
const HEIGHT = 12;

/** Draws one stroke for each waiting call. */
export function queueBar(waiting: number): View {
  const strokes = Math.min(waiting, MOST);
  const path = Array.from({ length: strokes }, (_, index) => strokeAt(index)).join('');
  const isFull = waiting > MOST;
  return html`
    <svg
      class=${isFull ? 'queue-bar full' : 'queue-bar'}
      viewBox=${`0 0 ${MOST * STEP} ${HEIGHT}`}
      width=${MOST * STEP}
      height=${HEIGHT}
      aria-hidden="true"
    >
      <path d=${path} />
    </svg>
  `;
}

const strokeAt = (index: number): string =>
  `M${MOST * STEP - (index + 1) * STEP + 1} 0h2.5v${HEIGHT}h-2.5z`;
