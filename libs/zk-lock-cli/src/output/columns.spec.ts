import { describe, expect, it } from 'vitest';
import { type Column, displayWidth, fit, table } from './columns.js';

describe('fit', () => {
  it.each([
    { text: 'order:42', width: 8, shown: 'order:42' },
    { text: 'order:42', width: 5, shown: 'orde…' },
    { text: '锁的钥匙', width: 5, shown: '锁的…' },
    { text: 'e\u0301e\u0301e\u0301', width: 3, shown: 'e\u0301e\u0301e\u0301' },
    { text: 'a\u001B[31mb\nc', width: 40, shown: String.raw`a\u{1b}[31mb\u{a}c` },
  ])('shows "$text" in $width columns', ({ text, width, shown }) => {
    expect(fit(text, width)).toBe(shown);
    expect(displayWidth(fit(text, width))).toBeLessThanOrEqual(width);
  });
});

interface Row {
  readonly key: string;
  readonly who: string;
  readonly age: string;
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'KEY', cell: ({ key }) => key, shrinksTo: 4 },
  { title: 'FOR', cell: ({ age }) => age },
  { title: 'BY', cell: ({ who }) => who, shrinksTo: 4 },
];

const ROWS: readonly Row[] = [
  { key: 'order:1', age: '5m 3s', who: 'billing on web-1 (pid 42)' },
  { key: '锁', age: '0s', who: 'shop' },
];

describe('table', () => {
  it('is as wide as its cells if there is no terminal', () => {
    expect(table(ROWS, COLUMNS)).toEqual([
      'KEY      FOR    BY',
      'order:1  5m 3s  billing on web-1 (pid 42)',
      '锁       0s     shop',
    ]);
  });

  it('cuts the widest column that may be cut until it fits', () => {
    const lines = table(ROWS, COLUMNS, 30);
    expect(lines).toEqual([
      'KEY      FOR    BY',
      'order:1  5m 3s  billing on we…',
      '锁       0s     shop',
    ]);
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(30);
  });
});
