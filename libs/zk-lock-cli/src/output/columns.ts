import { cleanText } from 'zk-locks/inspect';

const ELLIPSIS = '…';

/** East Asian wide characters and emoji take two columns of a terminal, combining marks none. */
const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]/u;
const MARK = /\p{Mark}/u;

/** How many columns of a terminal a character takes. */
function widthOf(character: string): number {
  if (MARK.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += widthOf(character);
  return width;
}

/** One line without control characters, cut to a width. */
export function fit(text: string, width: number): string {
  const line = cleanText(text);
  if (displayWidth(line) <= width) return line;
  let cut = '';
  let used = 0;
  for (const character of line) {
    used += widthOf(character);
    if (used > width - 1) break;
    cut += character;
  }
  return cut + ELLIPSIS;
}

export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string;
  /** The smallest width to which it is cut on a narrow terminal. Without it, the column is never cut. */
  readonly shrinksTo?: number;
  /** Colours a cell that has its final width. */
  readonly paint?: (text: string, row: Row) => string;
}

const GAP = '  ';

/**
 * Lines of a table that fits into `width`: the widest column that may shrink does so first. Without a
 * width, as in a pipe, nothing is cut.
 */
export function table<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width?: number,
): string[] {
  const cells = rows.map((row) => columns.map(({ cell }) => cleanText(cell(row))));
  const widths = columns.map(({ title }, index) =>
    cells.reduce(
      (widest, line) => Math.max(widest, displayWidth(line[index] ?? '')),
      displayWidth(title),
    ),
  );
  if (width !== undefined) shrink(widths, columns, width);
  const line = (texts: readonly string[], row?: Row): string =>
    texts
      .map((text, index) => {
        const cut = fit(text, widths[index] ?? 0);
        // No spaces at the end of a line.
        const padded = index === texts.length - 1 ? cut : pad(cut, widths[index] ?? 0);
        const paint = row === undefined ? undefined : columns[index]?.paint;
        return paint && row !== undefined ? paint(padded, row) : padded;
      })
      .join(GAP)
      .trimEnd();
  return [
    line(columns.map(({ title }) => title)),
    ...cells.map((texts, index) => line(texts, rows[index])),
  ];
}

function shrink(widths: number[], columns: readonly Column<never>[], width: number): void {
  const gaps = GAP.length * (columns.length - 1);
  for (;;) {
    const total = widths.reduce((sum, each) => sum + each, gaps);
    if (total <= width) return;
    let widest = -1;
    for (const [index, { shrinksTo = Infinity }] of columns.entries()) {
      const own = widths[index] ?? 0;
      if (own > shrinksTo && own > (widths[widest] ?? 0)) widest = index;
    }
    if (widest === -1) return;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
}
