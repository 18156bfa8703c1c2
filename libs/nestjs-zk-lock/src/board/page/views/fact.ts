import { html, type View } from '../html.js';

/** One of a list of facts: its name, and what it is. */
export const fact = (name: string, value: unknown): View => html`
  <div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>
`;
