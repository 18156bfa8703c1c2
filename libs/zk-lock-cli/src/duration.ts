import { UsageError } from './usage-error.js';

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** The longest time that a timer of Node can wait. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Parses `500ms`, `10s` or `1.5h` into milliseconds. A plain number means seconds, as with flock(1).
 *
 * @param name the name of the flag or variable, for the error
 * @throws {UsageError}
 */
export function parseDuration(name: string, text: string): number {
  const [, number, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text) ?? [];
  const ms = Math.round(Number(number) * (UNITS[unit] ?? 1));
  if (number === undefined || ms > LONGEST_MS) {
    throw new UsageError(
      `${name} is "${text}": pass a duration up to 24d, such as 500ms, 10s, 5m or 1h.`,
    );
  }
  return ms;
}
