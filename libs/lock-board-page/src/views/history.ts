import type { BoardEvent, BoardHistory, BoardKey } from '../board-api.js';
import { html, type View } from '../html.js';
import type { Board } from '../state/board.js';
import { clockText, countText, numberText, timeText, whoText } from '../text/words.js';
import { dataTable } from './data-table.js';
import { timeline } from './timeline.js';

const MINUTE_MS = 60_000;

const RANGES: readonly (readonly [name: string, ms: number | undefined])[] = [
  ['1 min', MINUTE_MS],
  ['10 min', 10 * MINUTE_MS],
  ['All', undefined],
];

/** Who has held the key, and how many calls waited, since the board began to watch. */
export function historySection(board: Board, key: BoardKey): View {
  const { history } = key;
  if (!history) return undefined;
  const { now } = board.state;
  const { since } = history;
  return html`
    <section class="history" aria-labelledby="history">
      <div class="toolbar">
        <h2 id="history">
          History since${' '}
          <time datetime=${new Date(since).toISOString()} title=${timeText(since)}>
            ${clockText(since, now)}
          </time>
        </h2>
        <div class="ranges" role="group" aria-label="Time shown">
          ${RANGES.map(rangeButton(board))}
        </div>
      </div>
      ${timeline(key, history, { now, historyMs: board.state.historyMs })}
      <p class="quietly">
        This is what the board has seen; nothing is stored. What comes and goes within 50 ms may be
        missing.${history.hasCohorts && html` Hand-overs in memory (<code>cohort</code>) are not seen.`}
      </p>
      ${eventList(board, history)}
    </section>
  `;
}

const rangeButton =
  (board: Board) =>
  ([name, ms]: (typeof RANGES)[number]): View => html`
    <button
      type="button"
      aria-pressed=${String(board.state.historyMs === ms)}
      onClick=${() => board.update({ historyMs: ms })}
    >
      ${name}
    </button>
  `;

function eventList(board: Board, history: BoardHistory): View {
  const { events } = history;
  if (events.length === 0) return undefined;
  const { showsEvents } = board.state;
  return html`
    <button
      type="button"
      class="quiet"
      aria-expanded=${String(showsEvents)}
      onClick=${() => board.update({ showsEvents: !showsEvents })}
    >
      ${showsEvents ? 'Hide the events' : `Show ${countText(events.length, 'event')}`}
    </button>
    ${showsEvents && eventTable(history, board.state.now)}
  `;
}

function eventTable({ events, who }: BoardHistory, now: number): View {
  return dataTable<BoardEvent>({
    heading: 'history',
    caption: 'Events of the key, the latest first',
    rows: [...events].reverse(),
    idOf: ({ at, event, who: index }) => `${at} ${event} ${index}`,
    columns: [
      {
        name: 'Time',
        className: 'soft time',
        value: ({ at }) => html`<time title=${timeText(at)}>${clockText(at, now)}</time>`,
      },
      {
        name: 'Event',
        isTitle: true,
        value: (event) => {
          const found = who[event.who];
          return html`<span class="owner">${found && whoText(found)}</span> ${event.text}`;
        },
      },
      { name: 'Waiting', className: 'number', value: ({ waiting }) => numberText(waiting) },
    ],
  });
}
