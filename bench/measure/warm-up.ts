import { isLevel } from './results.js';

const MOST_WINDOWS = 45;

/** How many cycles it takes until what is compiled no longer changes much. */
const CYCLES = 20_000;

/**
 * Lets a contender work until its rate is level, because compilers first have to learn which code
 * runs often. With few cycles a second, a rate looks level long before that, so there is a number
 * of cycles as well. It ends after 45 windows in any case.
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
