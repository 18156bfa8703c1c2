import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { makeTempDir, removeTempDir } from '../../support/temp-dir.js';

/**
 * A number in a file and a copy of it beside, and a list of who has incremented it. Nothing about it
 * is atomic: without a lock increments get lost, and readers see a number and another copy.
 */
export class GuardedFile {
  private constructor(readonly path: string) {}

  /** One with 0, removed when the test is over. */
  static create(): GuardedFile {
    const directory = makeTempDir('interop');
    onTestFinished(() => removeTempDir(directory));
    const path = join(directory, 'count');
    writeFileSync(path, '0');
    writeFileSync(`${path}.copy`, '0');
    return new GuardedFile(path);
  }

  get number(): number {
    return Number(readFileSync(this.path, 'utf8'));
  }

  /** How many of the first `count` increments are those of a partner, by its name. */
  amongFirst(count: number, name: string): number {
    const names = readFileSync(`${this.path}.tokens`, 'utf8').trim().split('\n');
    return names.slice(0, count).filter((one) => one === name).length;
  }

  async increment(): Promise<void> {
    const next = String(this.number + 1);
    writeFileSync(`${this.path}.copy`, next);
    // Lets other calls run here, in case one is in this place.
    await sleep(1);
    appendFileSync(`${this.path}.tokens`, 'ours\n');
    writeFileSync(this.path, next);
  }

  async check(): Promise<void> {
    const { number } = this;
    await sleep(1);
    const copy = Number(readFileSync(`${this.path}.copy`, 'utf8'));
    if (number !== copy) throw new Error(`torn: the number is ${number}, its copy ${copy}`);
  }
}
