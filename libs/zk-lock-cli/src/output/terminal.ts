/**
 * The number of columns that lines have to fit into. Undefined if standard output is not a terminal, or
 * does not report its size.
 */
export function outputWidth(): number | undefined {
  const { isTTY, columns } = process.stdout;
  return isTTY && columns > 0 ? columns : undefined;
}

export type Colour = 'bold' | 'dim' | 'red' | 'yellow' | 'green';

const CODES: Readonly<Record<Colour, readonly [on: number, off: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  yellow: [33, 39],
  green: [32, 39],
};

/** Colours a text on a terminal, unless NO_COLOR says otherwise; elsewhere leaves it as it is. */
export function paint(colour: Colour, text: string): string {
  if (!hasColours()) return text;
  const [on, off] = CODES[colour];
  return `\u001B[${on}m${text}\u001B[${off}m`;
}

function hasColours(): boolean {
  return process.stdout.isTTY && !process.env.NO_COLOR && understandsCodes();
}

/** Whether the terminal understands codes that colour its text or move its cursor. */
export function understandsCodes(): boolean {
  return process.env.TERM !== 'dumb';
}
