import { html, type View } from '../html.js';
import { countText, numberText } from '../text/words.js';

const PAGE = 100;

/** The range of rows shown, with buttons to the previous and next rows. */
export function pager(
  offset: number,
  shown: number,
  total: number,
  go: (offset: number) => void,
  what = 'row',
): View {
  if (shown === 0) return undefined;
  const isWhole = shown === total;
  const range = `${numberText(offset + 1)}–${numberText(offset + shown)} of ${numberText(total)}`;
  return html`
    <div class="pager">
      <span>${isWhole ? countText(total, what) : range}</span>
      ${
        !isWhole &&
        html`
          ${turn('Previous', '‹', offset > 0, () => go(Math.max(0, offset - PAGE)))}
          ${turn('Next', '›', offset + shown < total, () => go(offset + PAGE))}
        `
      }
    </div>
  `;
}

/** `aria-disabled`, not `disabled`: a disabled button would lose the focus. */
const turn = (what: string, sign: string, can: boolean, go: () => void): View => html`
  <button
    type="button"
    class="turn"
    aria-label=${`${what} rows`}
    aria-disabled=${String(!can)}
    onClick=${() => can && go()}
  >
    ${sign}
  </button>
`;
