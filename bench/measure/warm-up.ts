import { isLevel } from './results.js';

/** Each is as long as a round, if that is shorter than a second. */
const MOST_WINDOWS = 15;

/**
 * Has a contender work until its rate is level: compilers wait until they know what runs often. It
 * ends after 15 windows in any case.
 *
 * @param work for so many seconds; returns its rate
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
