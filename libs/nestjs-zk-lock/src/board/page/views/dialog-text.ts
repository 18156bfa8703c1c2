import type { BoardContender } from '../../board-api.js';
import { html, type View } from '../html.js';
import type { ActionDialog } from '../state/board-state.js';
import { countText, ownerText, placeText, spanText } from '../text/words.js';

export const ACTION_WORDS = {
  revoke: { title: 'Ask to release', confirm: 'Ask to release', isDangerous: false },
  break: { title: 'Break this lock', confirm: 'Break it', isDangerous: true },
  setPermits: { title: 'Set permits', confirm: 'Set permits', isDangerous: false },
  resign: { title: 'Leave the election', confirm: 'Leave', isDangerous: false },
};

/** What the action does, in words that hold for everybody who may do it. */
export function dialogText(dialog: ActionDialog, now: number): View {
  switch (dialog.action) {
    case 'revoke':
      return html`<p>
        Asks ${countText(dialog.holders, 'holder')} of ${code(dialog.key)} to finish and release it.
        Holders that listen do so; nothing is taken from those that do not.
      </p>`;
    case 'break':
      return breakText(dialog.contender, now);
    case 'setPermits':
      return html`<p>
        Sets how many permits ${code(dialog.key)} has, for all processes. Permits that are taken
        stay taken until they come back.
      </p>`;
    case 'resign':
      return html`<p>
        This application leaves the election ${code(dialog.key)}. Another candidate leads next.
      </p>`;
  }
}

function breakText(contender: BoardContender, now: number): View {
  return html`
    <p>
      Deletes the holder’s node, so that the next one gets the lock <strong>at once</strong>. If the
      holder still works, both work at the same time: make sure that its process is dead or cut off.
    </p>
    <dl class="facts">
      <div>
        <dt>Holder</dt>
        <dd>${ownerText(contender)} ${placeText(contender)}</dd>
      </div>
      ${
        contender.label !== undefined &&
        html`<div>
          <dt>Label</dt>
          <dd>${contender.label}</dd>
        </div>`
      }
      <div>
        <dt>Held for</dt>
        <dd>${spanText(now - contender.since)}</dd>
      </div>
      ${
        contender.token === undefined
          ? html`<div>
              <dt>Node</dt>
              <dd>${code(contender.node)}</dd>
            </div>`
          : html`<div>
              <dt>Token</dt>
              <dd>${code(contender.token)}</dd>
            </div>`
      }
    </dl>
  `;
}

const code = (text: string): View => html`<span class="code">${text}</span>`;
