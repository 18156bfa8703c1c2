import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { makeTempDir, removeTempDir } from './temp-dir.js';

/**
 * A file of permits. Holders append a line `<who> +<permits>` once they have them, and `<who>
 * -<permits>` before they return them. So at no line does it show more permits than were held.
 */
export class PermitLog {
  private constructor(readonly path: string) {}

  /** Creates an empty log, which is removed after the test. */
  static create(): PermitLog {
    const directory = makeTempDir('permits');
    onTestFinished(() => removeTempDir(directory));
    const path = join(directory, 'log');
    writeFileSync(path, '');
    return new PermitLog(path);
  }

  /** The greatest number of permits that were held at the same time. */
  get most(): number {
    let held = 0;
    return this.#entries.reduce((most, { change }) => Math.max(most, (held += change)), 0);
  }

  /** How many callers have had permits. */
  get grants(): number {
    return this.#granted.length;
  }

  /** The number of other callers with permits before `who` got some for the `nth` time, from 1. */
  othersBefore(who: string, nth: number): number {
    let times = 0;
    const index = this.#granted.findIndex((one) => one === who && ++times === nth);
    if (index < 0) throw new Error(`${who} got permits ${times} times, and not ${nth}`);
    return index + 1 - nth;
  }

  /** The callers that got permits, in order. */
  get #granted(): string[] {
    return this.#entries.filter(({ change }) => change > 0).map(({ who }) => who);
  }

  get #entries(): { who: string; change: number }[] {
    const lines = readFileSync(this.path, 'utf8').split('\n').filter(Boolean);
    return lines.map((line) => {
      const [who = '', change] = line.split(' ');
      return { who, change: Number(change) };
    });
  }
}
