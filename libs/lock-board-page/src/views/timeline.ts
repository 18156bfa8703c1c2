import type { BoardEvent, BoardHistory, BoardHold, BoardKey } from '../board-api.js';
import { html, type View } from '../html.js';
import { shortAgeText } from '../text/age-text.js';
import { type DrawnHold, lanesOf } from '../text/lanes.js';
import { ticksOf } from '../text/time-axis.js';
import { countText, numberText, timeText, whoText } from '../text/words.js';

const LANE = 24;
const MARGIN = 8;
const MOST_LANES = 8;
const QUEUE = 34;
const AXIS = 22;
const COLOURS = 4;

/** So near to either side, in hundredths of the width, a tick has no text: on a narrow screen it would be cut. */
const NEAR = 9;

/** From how many hundredths of the width on a bar has a name, on wide screens and on all. */
const LEGIBLE = 4;
const LEGIBLE_WHEN_NARROW = 15;

/** The least time that is drawn: what has just begun would be as wide as the page. */
const LEAST_MS = 10_000;

interface Shown {
  readonly now: number;
  readonly historyMs: number | undefined;
}

/** Draws holders as bars over time, and the length of the queue below them. */
export function timeline(key: BoardKey, history: BoardHistory, { now, historyMs }: Shown): View {
  const start = Math.min(Math.max(history.since, now - (historyMs ?? Infinity)), now - LEAST_MS);
  const scale = (at: number): number =>
    (100 * Math.min(Math.max(at - start, 0), now - start)) / (now - start);
  const all = lanesOf(history.holds, start, now);
  const unlisted = key.totalHolders - key.holders.length;
  const drawn = all.filter(({ lane }) => lane < MOST_LANES);
  const lanes = Math.max(1, ...drawn.map(({ lane }) => lane + 1));
  const top = MARGIN + lanes * LANE + 6;
  const height = top + QUEUE + AXIS;
  const most = Math.max(key.totalWaiting, ...waitingIn(history, start));
  return html`
    <svg
      class="timeline"
      width="100%"
      height=${height}
      role="img"
      aria-label=${`${countText(all.length + unlisted, 'hold')} and up to ${numberText(most)} waiting; the events are listed below`}
    >
      <pattern id="unseen" width="6" height="6" patternUnits="userSpaceOnUse">
        <path d="M0 6L6 0" />
      </pattern>
      ${ticksOf(start, now).map(
        ({ at, text }) => html`
          <line x1=${percent(scale(at))} x2=${percent(scale(at))} y1="0" y2=${height - AXIS} />
          ${isInside(scale(at)) && html`<text class="tick" x=${percent(scale(at))} y=${height - 5}>${text}</text>`}
        `,
      )}
      ${history.gaps.map(({ from, until = now }) => {
        const [left, right] = [scale(from), scale(until)];
        return html`<rect
          class="gap"
          x=${percent(left)}
          width=${percent(right - left)}
          height=${top + QUEUE}
        >
          <title>The board was not watching.</title>
        </rect>`;
      })}
      ${drawn.map((one) => bar(one, history, scale))}
      <svg y=${top} width="100%" height=${QUEUE} viewBox="0 0 100 1" preserveAspectRatio="none">
        <path class="queue" d=${queuePath(key, history, { start, scale, most })} />
      </svg>
      <text class="most" x="4" y=${top + 12}>
        ${most === 0 ? 'no call waited' : `up to ${numberText(most)} waiting`}
      </text>
    </svg>
    ${
      all.length + unlisted > drawn.length &&
      html`<p class="quietly">
        ${countText(all.length + unlisted - drawn.length, 'more hold')} at the same time, not drawn.
      </p>`
    }
  `;
}

const isInside = (place: number): boolean => place >= NEAR && place <= 100 - NEAR;

const percent = (value: number): string => `${value.toFixed(3)}%`;

function bar({ hold, from, until, lane }: DrawnHold, { who }: BoardHistory, scale: Scale): View {
  const left = scale(from);
  const width = Math.max(scale(until) - left, 0.15);
  const found = who[hold.who];
  const name = found ? whoText(found) : '';
  return html`
    <svg x=${percent(left)} y=${MARGIN + lane * LANE} width=${percent(width)} height=${LANE - 3}>
      <title>${titleOf(name, hold)}</title>
      <rect class=${`hold who-${hold.who % COLOURS}`} width="100%" height="100%" />
      ${END_MARKS.has(hold.end) && html`<rect class="bad-end" x="100%" width="4" height="100%" />`}
      ${width > LEGIBLE && html`<text class=${width < LEGIBLE_WHEN_NARROW ? 'short' : ''} x="6" y="15">${name}</text>`}
    </svg>
  `;
}

type Scale = (at: number) => number;

/** Ends that the holder may not have wanted. */
const END_MARKS: ReadonlySet<string | undefined> = new Set(['broken', 'session-ended']);

const ENDS: Partial<Record<BoardEvent['event'], string>> = {
  released: 'released',
  broken: 'broken',
  'session-ended': 'its session ended',
  gone: 'released, or its session ended',
};

function titleOf(name: string, { from, until, end }: BoardHold): string {
  const began = from === undefined ? 'before the board began to watch' : timeText(from);
  const span = from === undefined || until === undefined ? '' : ` (${shortAgeText(until - from)})`;
  const ended =
    until === undefined
      ? 'holds it now'
      : `${timeText(until)}${span}: ${ENDS[end ?? 'gone'] ?? ''}`;
  return `${name}\n${began} – ${ended}`;
}

function* waitingIn({ events }: BoardHistory, start: number): Iterable<number> {
  let before = 0;
  for (const { at, waiting } of events) {
    if (at >= start) yield Math.max(waiting, before);
    before = waiting;
  }
}

function waitingBefore({ event, waiting, ms = 0 }: BoardEvent): number {
  if (event === 'asked') return Math.max(0, waiting - 1);
  return event === 'gave-up' || (event === 'granted' && ms > 0) ? waiting + 1 : waiting;
}

interface QueueScale {
  readonly start: number;
  readonly scale: Scale;
  readonly most: number;
}

/** A staircase, in hundredths of the width and in parts of the longest queue. */
function queuePath(
  key: BoardKey,
  { events }: BoardHistory,
  { start, scale, most }: QueueScale,
): string {
  const height = (waiting: number): string => (1 - waiting / Math.max(most, 1)).toFixed(3);
  const earlier = events.findLast(({ at }) => at < start);
  const steps = events
    .filter(({ at }) => at >= start)
    .map(({ at, waiting }) => `H${scale(at).toFixed(3)}V${height(waiting)}`);
  const first = earlier?.waiting ?? (events[0] ? waitingBefore(events[0]) : key.totalWaiting);
  const last = `V${height(key.totalWaiting)}H100V1z`;
  return `M0 1V${height(first)}${steps.join('')}H100${last}`;
}
