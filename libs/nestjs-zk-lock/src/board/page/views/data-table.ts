import { html, type View } from '../html.js';

export interface Column<Row> {
  readonly name: string;
  readonly className?: string;
  /** What names the row stands without its column's name on narrow screens. */
  readonly isTitle?: boolean;
  readonly value: (row: Row, index: number) => unknown;
}

export interface DataTable<Row> {
  /** The id of its heading. */
  readonly heading: string;
  readonly caption: string;
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => string;
  /** Those that are not there are `false`. */
  readonly columns: readonly (Column<Row> | false)[];
}

/**
 * Roles are said again, because narrow screens show rows as cards, and a table that is displayed as
 * something else is none for some screen readers.
 */
export function dataTable<Row>({ heading, caption, rows, idOf, columns }: DataTable<Row>): View {
  const shown = columns.filter((column) => column !== false);
  return html`
    <table role="table" class="data" aria-labelledby=${heading}>
      <caption class="visually-hidden">
        ${caption}
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          ${shown.map(header)}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${rows.map(
          (row, index) => html`
            <tr role="row" key=${idOf(row)}>
              ${shown.map((column) => cell(column, row, index))}
            </tr>
          `,
        )}
      </tbody>
    </table>
  `;
}

const header = <Row>({ name, className }: Column<Row>): View =>
  html`<th role="columnheader" scope="col" class=${className}>${name}</th>`;

function cell<Row>(
  { name, className, isTitle, value }: Column<Row>,
  row: Row,
  index: number,
): View {
  const content = value(row, index);
  const isEmpty = content === undefined || content === '';
  return html`
    <td role="cell" class=${className} data-name=${isTitle ? undefined : name}>
      ${isEmpty ? html`<span class="none">–</span>` : content}
    </td>
  `;
}
