const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const STEPS = [
  ...[1, 2, 5, 10, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 30].map((count) => count * MINUTE),
  ...[1, 3, 6, 12, 24, 72, 168].map((count) => count * HOUR),
];

const MOST_TICKS = 6;

/** Round times of the browser's day, six at most. */
export function ticksOf(
  from: number,
  to: number,
): { readonly at: number; readonly text: string }[] {
  const step = STEPS.find((ms) => (to - from) / ms <= MOST_TICKS) ?? to - from;
  const zone = new Date(to).getTimezoneOffset() * MINUTE;
  const ticks = [];
  for (let at = Math.ceil((from - zone) / step) * step + zone; at < to; at += step) {
    ticks.push({ at, text: tickText(at, step) });
  }
  return ticks;
}

function tickText(at: number, step: number): string {
  const date = new Date(at);
  if (step >= 24 * HOUR)
    return date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });
  const seconds = step < MINUTE ? ({ second: '2-digit' } as const) : {};
  return date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', ...seconds });
}
