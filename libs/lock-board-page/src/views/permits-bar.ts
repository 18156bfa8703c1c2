import { html, type View } from '../html.js';

const MOST = 24;
const STEP = 9;
const SIZE = 7;
const WIDTH = MOST * STEP;

/** Draws one square for each permit, or one bar for more than 24 permits. */
export function permitsBar(taken: number, total: number): View {
  const free = total > MOST ? barPath(0, WIDTH) : squares(taken, total);
  const used =
    total > MOST
      ? barPath(0, WIDTH * Math.min(1, taken / total))
      : squares(0, Math.min(taken, total));
  return html`
    <svg
      class="permits-bar"
      viewBox=${`0 0 ${WIDTH} ${SIZE}`}
      width=${WIDTH}
      height=${SIZE}
      aria-hidden="true"
    >
      <path class="free" d=${free} />
      <path class="used" d=${used} />
    </svg>
  `;
}

const barPath = (from: number, to: number): string => `M${from} 0H${to}V${SIZE}H${from}z`;

function squares(from: number, to: number): string {
  const count = Math.max(0, to - from);
  return Array.from({ length: count }, (_, index) => {
    const left = (from + index) * STEP;
    return barPath(left, left + SIZE);
  }).join('');
}
