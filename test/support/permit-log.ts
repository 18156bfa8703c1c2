import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { makeTempDir, removeTempDir } from './temp-dir.js';

/**
 * A file to which holders of permits append a line `<who> +<permits>` once they have them, and
 * `<who> -<permits>` before they give them back: at no line are there more of them than were held.
 */
export class PermitLog {
  private constructor(readonly path: string) {}

  /** An empty one, removed when the test is over. */
  static create(): PermitLog {
    const directory = makeTempDir('permits');
    onTestFinished(() => removeTempDir(directory));
    const path = join(directory, 'log');
    writeFileSync(path, '');
    return new PermitLog(path);
  }

  /** The most that were held at any time. */
  get most(): number {
    let held = 0;
    return this.#entries.reduce((most, { change }) => Math.max(most, (held += change)), 0);
  }

  /** How many have had permits. */
  get grants(): number {
    return this.#entries.filter(({ change }) => change > 0).length;
  }

  /** How often those who got permits were others than the ones before. */
  get turns(): number {
    const granted = this.#entries.filter(({ change }) => change > 0);
    return granted.filter(({ who }, index) => index > 0 && who !== granted[index - 1]?.who).length;
  }

  get #entries(): { who: string; change: number }[] {
    const lines = readFileSync(this.path, 'utf8').split('\n').filter(Boolean);
    return lines.map((line) => {
      const [who = '', change] = line.split(' ');
      return { who, change: Number(change) };
    });
  }
}
