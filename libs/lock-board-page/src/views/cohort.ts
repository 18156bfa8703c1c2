import type { BoardKey } from '../board-api.js';
import { html, type View } from '../html.js';
import { countText } from '../text/words.js';
import { ageOf } from './age.js';
import { dataTable } from './data-table.js';

/** Calls of this process that share one znode. */
export function cohortSection({ cohort }: BoardKey, now: number): View {
  if (!cohort || cohort.members.length + cohort.waiting === 0) return undefined;
  const { members, waiting } = cohort;
  return html`
    <section aria-labelledby="cohort">
      <h2 id="cohort">Calls of this process</h2>
      ${
        members.length > 0 &&
        dataTable({
          heading: 'cohort',
          caption: 'Calls of this process that hold the lock',
          rows: members,
          idOf: ({ token }) => token,
          columns: [
            {
              name: 'Label',
              className: 'who',
              isTitle: true,
              value: ({ label }) => label ?? 'no label',
            },
            { name: 'Mode', className: 'soft', value: ({ mode }) => mode },
            { name: 'Held for', className: 'age', value: ({ since }) => ageOf(since, now) },
            { name: 'Token', className: 'code', value: ({ token }) => token },
          ],
        })
      }
      <p class="quietly">
        ${countText(waiting, 'call')} of this process ${waiting === 1 ? 'is' : 'are'} waiting in
        memory.
      </p>
    </section>
  `;
}
