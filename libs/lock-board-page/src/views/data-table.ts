import { html, type View } from '../html.js';

export interface Column<Row> {
  readonly name: string;
  readonly className?: string;
  /** Shown without the column's name on narrow screens. */
  readonly isTitle?: boolean;
  readonly value: (row: Row, index: number) => unknown;
}

export interface DataTable<Row> {
  /** The id of the heading that names the table. */
  readonly heading: string;
  readonly caption: string;
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => string;
  /** `false` for columns to leave out. */
  readonly columns: readonly (Column<Row> | false)[];
}

/**
 * Explicit roles: narrow screens show rows as cards, and some browsers drop the roles of a table whose
 * `display` is not that of a table.
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
  const isEmpty = content === undefined || content === false || content === '';
  return html`
    <td role="cell" class=${className} data-name=${isTitle ? undefined : name}>
      ${isEmpty ? html`<span class="none">–</span>` : content}
    </td>
  `;
}
