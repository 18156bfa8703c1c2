import { describe, expect, it } from 'vitest';
import { parseDuration } from './duration.js';
import { UsageError } from './usage-error.js';

describe('parseDuration', () => {
  it.each([
    ['500ms', 500],
    ['10s', 10_000],
    ['10', 10_000],
    ['1.5m', 90_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    ['0', 0],
  ])('reads %s', (text, ms) => {
    expect(parseDuration('--wait', text)).toBe(ms);
  });

  it.each(['', 'soon', '-1s', '1 h', '1e3', '25d', '10x'])('refuses "%s"', (text) => {
    const parse = () => parseDuration('--wait', text);
    expect(parse).toThrow(UsageError);
    expect(parse).toThrow(`--wait is "${text}": pass a duration`);
  });
});
