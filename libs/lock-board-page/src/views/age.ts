import { html, type View } from '../html.js';
import { ageText } from '../text/age-text.js';
import { timeText } from '../text/words.js';

/** How long ago something was, with its time as a tooltip. */
export const ageOf = (since: number, now: number): View => html`
  <time datetime=${new Date(since).toISOString()} title=${timeText(since)}
    >${ageText(now - since)}</time
  >
`;
