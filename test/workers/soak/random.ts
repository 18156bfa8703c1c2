import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** A random number generator with a seed. */
export class Random {
  readonly #generator;

  constructor(readonly seed: number) {
    this.#generator = xoroshiro128plus(seed);
  }

  /** A random integer, both bounds included. */
  between(lowest: number, highest: number): number {
    return uniformInt(this.#generator, lowest, highest);
  }

  chance(percent: number): boolean {
    return this.between(1, 100) <= percent;
  }

  pick<T>(choices: readonly T[]): T {
    const choice = choices[this.between(0, choices.length - 1)];
    if (choice === undefined) throw new Error('the list is empty');
    return choice;
  }

  shuffle<T>(things: readonly T[]): T[] {
    const rest = [...things];
    const shuffled: T[] = [];
    while (rest.length > 0) shuffled.push(...rest.splice(this.between(0, rest.length - 1), 1));
    return shuffled;
  }

  /** Another generator, independent of how this one is used from now on. */
  fork(): Random {
    return new Random(this.between(0, 0x7fff_ffff));
  }
}
