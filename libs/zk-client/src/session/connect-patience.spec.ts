import { describe, expect, it } from 'vitest';
import { ConnectPatience } from './connect-patience.js';

const T = 12_000;

/** The limits of attempts that get no answer, one after the other. */
function limits(patience: ConnectPatience, attempts: number): number[] {
  return Array.from({ length: attempts }, () => {
    const limit = patience.limitMs(T);
    patience.hung();
    return limit;
  });
}

describe('an attempt to attach a session', () => {
  it('may take a third of the session timeout while no server has answered yet', () => {
    expect(limits(new ConnectPatience(), 3)).toEqual([4_000, 4_000, 4_000]);
  });

  it('may take a twelfth at first, and twice as long after each one that got no answer', () => {
    const patience = new ConnectPatience();
    patience.answered(10);
    expect(limits(patience, 4)).toEqual([1_000, 2_000, 4_000, 4_000]);
  });

  it('may take a twelfth again after an answer', () => {
    const patience = new ConnectPatience();
    patience.answered(10);
    limits(patience, 3);
    patience.answered(10);
    expect(limits(patience, 1)).toEqual([1_000]);
  });

  it.each([
    [800, [1_600, 3_200, 4_000]],
    [3_000, [4_000, 4_000, 4_000]],
  ])('may take twice as long as the latest answer, which took %i ms', (latestMs, expected) => {
    const patience = new ConnectPatience();
    patience.answered(latestMs);
    expect(limits(patience, 3)).toEqual(expected);
  });
});
