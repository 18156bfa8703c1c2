import type { BoardContender } from '../board-api.js';
import { html, type View } from '../html.js';
import { ownerText, placeText, timeText } from '../text/words.js';
import type { Column } from './data-table.js';

type Value = keyof BoardContender;

/** Application, host and process of a node, with marks for what is unusual. */
export const WHO: Column<BoardContender> = {
  name: 'Application',
  className: 'who',
  isTitle: true,
  value: whoIs,
};

function whoIs(contender: BoardContender): View {
  const { isForeign, isEphemeral, node, revokedAt } = contender;
  return html`
    <span class="owner">${ownerText(contender)}</span>${' '}
    <span class="place">${placeText(contender)}</span>
    ${isForeign && html`<span class="tag warning">foreign</span>`}
    ${!isEphemeral && html`<span class="tag warning">no session</span>`}
    ${
      revokedAt !== undefined &&
      html`<span class="tag warning" title=${timeText(revokedAt)}>asked to release</span>`
    }
    ${isForeign && html`<span class="node code">${node}</span>`}
  `;
}

/** The labels of calls, which may be names of methods: those break after their class. */
export const labelColumn = (
  contenders: readonly BoardContender[],
): Column<BoardContender> | false =>
  contenders.some(({ label }) => label !== undefined) && {
    name: 'Label',
    className: 'label',
    value: ({ label }) => label?.split(/(?<=\.)/).map((part) => html`<span>${part}</span><wbr />`),
  };

/** A column for a value that may be missing; `false` if all rows lack it. */
export function columnOf(
  name: string,
  value: Value,
  contenders: readonly BoardContender[],
  className?: string,
): Column<BoardContender> | false {
  const isThere = contenders.some((contender) => contender[value] !== undefined);
  return isThere && { name, className, value: (contender) => contender[value] };
}
