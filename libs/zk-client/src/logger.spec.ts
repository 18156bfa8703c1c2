import { afterEach, expect, it, vi } from 'vitest';
import { guardLogger, LOGGER, silentLogger } from './logger.js';

afterEach(() => void vi.restoreAllMocks());

it('passes on each message at its own level', () => {
  const logger = { debug: vi.fn(), log: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const guarded = guardLogger(logger);
  for (const level of ['debug', 'log', 'warn', 'error'] as const) guarded[level](`a ${level}`);
  expect(Object.values(logger).map(({ mock }) => mock.calls)).toEqual([
    [['a debug']],
    [['a log']],
    [['a warn']],
    [['a error']],
  ]);
});

it("accepts a class with static methods, such as Nest's Logger, and nothing without methods", () => {
  class Logger {
    static debug = vi.fn();
    static log = vi.fn();
    static warn = vi.fn();
    static error = vi.fn();
  }
  expect(LOGGER.accepts(Logger)).toBe(true);
  for (const value of [class {}, {}, null, 'console']) expect(LOGGER.accepts(value)).toBe(false);
});

it('writes one line, whatever a message contains', () => {
  const warn = vi.fn();
  guardLogger({ ...silentLogger, warn }).warn('Leads "a\n\u001b[2K\u202e" no more');
  expect(warn).toHaveBeenCalledWith('Leads "a\\u{a}\\u{1b}[2K\\u{202e}" no more');
});

it('rethrows what a logger throws as an uncaught exception, later', () => {
  const later = vi.spyOn(globalThis, 'queueMicrotask').mockReturnValue(undefined);
  const warn = (): never => {
    throw new Error('disk full');
  };
  expect(() => guardLogger({ ...silentLogger, warn }).warn('lost')).not.toThrow();
  expect(later.mock.calls[0]?.[0]).toThrow('disk full');
});
