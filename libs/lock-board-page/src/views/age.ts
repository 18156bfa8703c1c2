import { html, type View } from '../html.js';
import { spanText, timeText } from '../text/words.js';

/** How long ago something was, with its time as a tooltip. */
export const ageOf = (since: number, now: number): View => html`
  <time datetime=${new Date(since).toISOString()} title=${timeText(since)}
    >${spanText(now - since)}</time
  >
`;
