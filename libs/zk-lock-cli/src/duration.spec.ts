import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from './duration.js';
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

describe('formatDuration', () => {
  it.each([
    [-5, '0s'],
    [999, '0s'],
    [40_000, '40s'],
    [303_000, '5m 3s'],
    [300_000, '5m'],
    [3_605_000, '1h'],
    [183_600_000, '2d 3h'],
  ])('shows %d ms as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});
