import type { BoardMethod, BoardOverview } from '../../board-api.js';
import { html, type View } from '../html.js';
import { countText, numberText } from '../text/words.js';
import { cell, columnHeader } from './contender.js';

/** The decorated methods of the application that serves the page, and what became of their calls. */
export function applicationView({ methods }: BoardOverview): View {
  return html`
    <section class="application" aria-labelledby="methods">
      <h1 id="methods" tabindex="-1">${countText(methods.length, 'decorated method')}</h1>
      <p class="quietly">In the process that serves this page, since it started.</p>
      ${methods.length > 0 && table(methods)}
    </section>
  `;
}

const table = (methods: readonly BoardMethod[]): View => html`
  <table role="table" class="methods" aria-labelledby="methods">
    <caption class="visually-hidden">
      Decorated methods, their options and counts
    </caption>
    <thead role="rowgroup">
      <tr role="row">
        ${columnHeader('Method')} ${columnHeader('Key')} ${columnHeader('Options')}
        ${columnHeader('Calls', 'number')} ${columnHeader('Running', 'number')}
        ${columnHeader('Waiting', 'number')} ${columnHeader('Failed', 'number')}
        ${columnHeader('Lost', 'number')}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${methods.map(row)}
    </tbody>
  </table>
`;

function row({ name, decorator, pattern, options, counts }: BoardMethod): View {
  return html`
    <tr role="row" key=${`${decorator} ${name} ${pattern}`}>
      <th role="rowheader" scope="row">
        <span class="code">${name}</span> <span class="quietly code">${decorator}</span>
      </th>
      ${cell('Key', 'code', pattern)} ${cell('Options', 'options', optionList(options))}
      ${count('Calls', counts.calls)} ${count('Running', counts.running)}
      ${count('Waiting', counts.waiting)} ${count('Failed', counts.failed, 'ill')}
      ${count('Lost', counts.lost, 'ill')}
    </tr>
  `;
}

function optionList(options: BoardMethod['options']): View {
  if (options.length === 0) return html`<span class="quietly">defaults</span>`;
  return html`
    <ul>
      ${options.map(([name, value]) => html`<li><span class="quietly">${name}</span> ${value}</li>`)}
    </ul>
  `;
}

const count = (name: string, value: number, nonZero = ''): View =>
  cell(name, `number ${value === 0 ? 'zero' : nonZero}`, numberText(value));
