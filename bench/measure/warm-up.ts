import { isLevel } from './results.js';

/** The length of a window: that of a round, but at most a second. */
const MOST_WINDOWS = 30;

/**
 * Lets a contender work until its rate is level, because compilers first have to learn which code
 * runs often. It ends after 30 windows in any case.
 *
 * @param work runs for this many seconds; returns its rate
 * @returns the rate of each window
 */
export async function warmUp(
  seconds: number,
  work: (seconds: number) => Promise<number>,
): Promise<number[]> {
  const rates: number[] = [];
  while (!isLevel(rates) && rates.length < MOST_WINDOWS) {
    rates.push(await work(Math.min(1, seconds)));
  }
  return rates;
}
