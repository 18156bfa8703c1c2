import type { BoardKey } from '../../board-api.js';
import { html, type View } from '../html.js';
import { countText, spanText } from '../text/words.js';
import { cell, columnHeader } from './contender.js';

/** Calls of this process that share the node, and pass the lock on among themselves. */
export function cohortSection({ cohort }: BoardKey, now: number): View {
  if (!cohort) return undefined;
  const { members, waiting } = cohort;
  return html`
    <section aria-labelledby="cohort">
      <h2 id="cohort">In this process</h2>
      ${
        members.length > 0 &&
        html`
          <table role="table" class="contenders" aria-labelledby="cohort">
            <caption class="visually-hidden">
              Calls of this process that hold it
            </caption>
            <thead role="rowgroup">
              <tr role="row">
                ${columnHeader('Call')} ${columnHeader('Mode')} ${columnHeader('Held for', 'age')}
                ${columnHeader('Token')}
              </tr>
            </thead>
            <tbody role="rowgroup">
              ${members.map(
                ({ label, mode, since, token }) => html`
                  <tr role="row" key=${token}>
                    <td role="cell" class="who">${label ?? 'without a label'}</td>
                    ${cell('Mode', 'mode', mode)} ${cell('Held for', 'age', spanText(now - since))}
                    ${cell('Token', 'code', token)}
                  </tr>
                `,
              )}
            </tbody>
          </table>
        `
      }
      <p class="quietly">${countText(waiting, 'call')} of this process in its line.</p>
    </section>
  `;
}
