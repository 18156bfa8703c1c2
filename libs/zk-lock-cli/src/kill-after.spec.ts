import { describe, expect, it } from 'vitest';
import { killAfterMs } from './kill-after.js';

describe('killAfterMs', () => {
  it.each([
    { given: undefined, session: 10_000, tick: 2_000, ms: 2_000 },
    { given: undefined, session: 2_000, tick: 500, ms: 375 },
    { given: 0, session: 2_000, tick: 500, ms: 0 },
    { given: 4_400, session: 10_000, tick: 2_000, ms: 4_400 },
  ])('is $ms of $given with a session of $session', ({ given, session, tick, ms }) => {
    expect(killAfterMs(given, session, tick)).toBe(ms);
  });

  it('refuses more than a healthy session has left', () => {
    expect(() => killAfterMs(4_401, 10_000, 2_000)).toThrow(
      '--kill-after is 4401ms: a session of 10000ms leaves a command at most 4400ms to stop.',
    );
  });

  it('refuses a session that has nothing left', () => {
    expect(() => killAfterMs(undefined, 1_000, 2_000)).toThrow(
      '--session-timeout (1000ms) is too short for --tick-time (2000ms): pass a session timeout of at least 2000ms, or correct --tick-time.',
    );
  });
});
