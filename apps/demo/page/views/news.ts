import type { NewsItem, StageView } from '../../src/stage/stage-api.js';
import { html, type View } from './html.js';

const SHOWN = 14;

/** What each replica was told, and when. */
export function news({ news: items }: StageView): View {
  return html`
    <section aria-labelledby="news">
      <h2 id="news">What the replicas were told</h2>
      <ol class="news">
        ${items.slice(0, SHOWN).map(item)}
      </ol>
    </section>
  `;
}

const item = ({ id, at, replica, kind, text }: NewsItem): View => html`
  <li key=${id} class=${kind}>
    <time class="number">${timeText(at)}</time>
    <span>${replica && html`<b class="replica ${replica}">${replica}</b> `}${text}</span>
  </li>
`;

/** `14:02:03.120` */
function timeText(at: number): string {
  const date = new Date(at);
  const parts = [date.getHours(), date.getMinutes(), date.getSeconds()];
  const clock = parts.map((part) => String(part).padStart(2, '0')).join(':');
  return `${clock}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}
