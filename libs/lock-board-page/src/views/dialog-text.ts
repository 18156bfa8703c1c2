import type { BoardContender } from '../board-api.js';
import { html, type View } from '../html.js';
import type { ActionDialog } from '../state/board-state.js';
import { ageOf } from './age.js';
import { fact } from './fact.js';
import { shownText } from '../text/shown-text.js';
import { countText, ownerText, placeText } from '../text/words.js';

export const ACTION_WORDS = {
  revoke: { title: 'Revoke', confirm: 'Ask to release', isDangerous: false },
  break: { title: 'Break this lock', confirm: 'Break it', isDangerous: true },
  setPermits: { title: 'Set permits', confirm: 'Set permits', isDangerous: false },
  resign: { title: 'Resign', confirm: 'Resign', isDangerous: false },
};

/** Explains what the action does. */
export function dialogText(dialog: ActionDialog, now: number, isGone: boolean): View {
  switch (dialog.action) {
    case 'revoke':
      return html`<p>
        Asks ${countText(dialog.holders, 'holder')} of ${code(shownText(dialog.key))} to finish and
        release it. A holder that does not listen for this keeps the lock.
      </p>`;
    case 'break':
      return breakText(dialog.contender, now, isGone);
    case 'setPermits':
      return html`<p>
        Sets how many permits ${code(shownText(dialog.key))} has, for all processes. Permits that
        are held remain held until they are released.
      </p>`;
    case 'resign':
      return html`<p>
        This process stops leading ${code(shownText(dialog.key))} and queues up again. Another
        candidate leads next.
      </p>`;
  }
}

function breakText(contender: BoardContender, now: number, isGone: boolean): View {
  const { isEphemeral, isShared, label, node, since, token } = contender;
  // Only nodes without a session can be broken while they wait.
  const outcome = isEphemeral
    ? 'The next call then gets the lock.'
    : 'If it held the lock, the next call then gets it.';
  return html`
    <p>
      Tells the process below to release the lock. If it has not done so after a second, its node is
      deleted. <strong>${outcome}</strong> Work that continues anyway runs beside it: make sure that
      the process is dead or cut off.
    </p>
    ${
      isShared &&
      html`<p>
        This node serves several calls of its process. Whichever call has the lock now loses it,
        even while the process is stopped.
      </p>`
    }
    <dl class="facts">
      ${fact('Process', `${ownerText(contender)} ${placeText(contender)}`)}
      ${label !== undefined && fact('Label', label)}
      ${since !== undefined && !isGone && fact('Age', ageOf(since, now))}
      ${fact('Node', code(node))} ${token !== undefined && fact('Token', code(token))}
    </dl>
  `;
}

const code = (text: string): View => html`<span class="code">${text}</span>`;
