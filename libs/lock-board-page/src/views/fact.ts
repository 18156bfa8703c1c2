import { html, type View } from '../html.js';

/** One entry of a `dl`. */
export const fact = (name: string, value: unknown): View => html`
  <div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>
`;
