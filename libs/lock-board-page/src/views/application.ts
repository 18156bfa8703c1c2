import type { BoardMethod, BoardOverview } from '../board-api.js';
import { html, type View } from '../html.js';
import { countText, numberText, ownerText } from '../text/words.js';
import { type Column, dataTable } from './data-table.js';

/** The decorated methods of the application that serves the page, with counts of their calls. */
export function applicationView({ methods, process }: BoardOverview): View {
  return html`
    <section class="application" aria-labelledby="methods">
      <h1 id="methods" tabindex="-1">${countText(methods.length, 'decorated method')}</h1>
      <p class="quietly">
        In the process that serves this page, since it started:${' '}
        <span class="owner">${ownerText({ ...process, isForeign: false })}</span>
        ${` on ${process.host} (pid ${process.pid}).`}
      </p>
      ${
        methods.length > 0 &&
        dataTable({
          heading: 'methods',
          caption: 'Decorated methods, their options, and counts of their calls',
          rows: methods,
          idOf: ({ decorator, name, pattern }) => `${decorator} ${name} ${pattern}`,
          columns: [
            { name: 'Method', className: 'who', isTitle: true, value: methodName },
            { name: 'Key', className: 'code', value: ({ pattern }) => pattern },
            { name: 'Options', className: 'options', value: optionList },
            count('Calls', 'calls'),
            count('Waiting', 'waiting'),
            count('Running', 'running'),
            count('Ran', 'ran'),
            count('Skipped', 'skipped'),
            count('Lost', 'lost', 'ill'),
            { ...count('Failed', 'failed', 'ill'), value: failures },
          ],
        })
      }
    </section>
  `;
}

function failures({ counts, failures: reasons }: BoardMethod): View {
  return html`
    <span class=${counts.failed === 0 ? 'zero' : 'ill'}>${numberText(counts.failed)}</span>
    ${Object.entries(reasons).map(
      ([reason, many]) => html`<span class="detail">${`${reason} ${numberText(many)}`}</span>`,
    )}
  `;
}

const methodName = ({ name, decorator }: BoardMethod): View => html`
  <span class="code">${name}</span> <span class="quietly code">${decorator}</span>
`;

function optionList({ options }: BoardMethod): View {
  if (options.length === 0) return html`<span class="quietly">defaults</span>`;
  return html`
    <ul>
      ${options.map(([name, value]) => html`<li><span class="quietly">${name}</span> ${value}</li>`)}
    </ul>
  `;
}

const count = (
  name: string,
  of: keyof BoardMethod['counts'],
  className = 'some',
): Column<BoardMethod> => ({
  name,
  className: 'number',
  value: ({ counts }) =>
    html`<span class=${counts[of] === 0 ? 'zero' : className}>${numberText(counts[of])}</span>`,
});
