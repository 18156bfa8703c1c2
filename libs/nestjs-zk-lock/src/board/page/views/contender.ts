import type { BoardContender } from '../../board-api.js';
import { html, type View } from '../html.js';
import { ownerText, placeText, timeText } from '../text/words.js';

/** Whose node it is, where that runs, and what is odd about it. */
export const contenderCell = (contender: BoardContender): View => html`
  <td role="cell" class="who">
    <span class="owner">${ownerText(contender)}</span>
    <span class="place">${placeText(contender)}</span>
    ${contender.isForeign && html`<span class="tag warning">foreign</span>`}
    ${!contender.isEphemeral && html`<span class="tag warning">stays after its session</span>`}
    ${
      contender.revokedAt !== undefined &&
      html`<span class="tag warning" title=${timeText(contender.revokedAt)}>asked to release</span>`
    }
    ${isNameless(contender) && html`<span class="code">${contender.node}</span>`}
  </td>
`;

/** The name of its node is then all that is known. */
const isNameless = ({ application, host, label }: BoardContender): boolean =>
  application === undefined && host === undefined && label === undefined;

/** @param name of the column, which stands beside the value on narrow screens */
export const cell = (name: string, className: string, content: unknown): View => html`
  <td role="cell" class=${className} data-name=${name}>
    ${content === undefined || content === '' ? html`<span class="none">–</span>` : content}
  </td>
`;

export const columnHeader = (name: string, className = ''): View =>
  html`<th role="columnheader" scope="col" class=${className}>${name}</th>`;
