import type { BoardOverview } from '../board-api.js';
import { html, type View } from '../html.js';
import type { BoardState } from '../state/board-state.js';
import { ageText } from '../text/age-text.js';
import { numberText } from '../text/words.js';

/** Session, servers and totals. */
export function statusLine({ overview, away }: BoardState): View {
  if (!overview) return undefined;
  const { totals, root, reading } = overview;
  return html`
    <div class="status-line">
      <dl>
        <div>
          <dt>Session</dt>
          <dd>${away ? html`<span class="quietly">unknown</span>` : session(overview)}</dd>
        </div>
        <div>
          <dt>Servers</dt>
          <dd>
            <ul class="servers">
              ${overview.servers.map(server)}
            </ul>
          </dd>
        </div>
        <div class="root">
          <dt>Root</dt>
          <dd class="code">${root}</dd>
        </div>
      </dl>
      ${!reading?.isFirst && sums(totals)}
    </div>
  `;
}

const sums = ({ keys, held, waiting }: BoardOverview['totals']): View => html`
  <dl class="totals">
    ${total(keys, keys === 1 ? 'key' : 'keys')} ${total(held, 'held')} ${total(waiting, 'waiting')}
  </dl>
`;

function session({ session: { state, timeoutMs }, stale }: BoardOverview): View {
  // While the board's own connection is lost, the application may not have noticed yet.
  const health = state !== 'connected' ? 'ill' : stale ? '' : 'well';
  return html`
    <span class=${`state ${health}`}><i class="dot"></i>${state}</span>
    ${timeoutMs !== undefined && html`<span class="quietly">, timeout ${ageText(timeoutMs)}</span>`}
  `;
}

const server = ({ address, isConnected }: BoardOverview['servers'][number]): View => html`
  <li class=${isConnected ? 'code used' : 'code'}>
    ${address}${isConnected && html`<span class="visually-hidden"> (connected)</span>`}
  </li>
`;

const total = (count: number, what: string): View =>
  html`<div>
    <dt>${what}</dt>
    <dd>${numberText(count)}</dd>
  </div>`;
