import { isLevel } from './results.js';

const MOST_WINDOWS = 45;

/** The number of cycles after which compiled code changes little. */
const CYCLES = 20_000;

/**
 * Runs a contender until its rate is level, because compilers first have to find the code that runs
 * often. At few cycles per second, a rate appears level long before that, so a minimum number of
 * cycles is also required. Ends after 45 windows at the latest.
 *
 * @param work runs for this many seconds; returns its rate
 * @returns the rate of each window
 */
export async function warmUp(
  seconds: number,
  work: (seconds: number) => Promise<number>,
): Promise<number[]> {
  const window = Math.min(1, seconds);
  const rates: number[] = [];
  let cycles = 0;
  while ((!isLevel(rates) || cycles < CYCLES) && rates.length < MOST_WINDOWS) {
    const rate = await work(window);
    rates.push(rate);
    cycles += rate * window;
  }
  return rates;
}
