/** Stands for a missing value. */
export const NOTHING = '–';

/** Three significant digits, with thousands separators. */
export function plain(value: number): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  const rounded = value >= 1_000 ? Number(value.toPrecision(3)) : value;
  return rounded.toLocaleString('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

export function factor(value: number): string {
  return `${plain(value)}×`;
}

/** @param ms milliseconds */
export function duration(ms: number): string {
  if (ms >= 1_000) return `${plain(ms / 1_000)} s`;
  return ms >= 1 ? `${plain(ms)} ms` : `${plain(ms * 1_000)} µs`;
}

export function bytes(value: number): string {
  if (Math.abs(value) < 1_024) return `${value.toFixed(0)} B`;
  return value < 1_024 ** 2 ? `${plain(value / 1_024)} KB` : `${plain(value / 1_024 ** 2)} MB`;
}
