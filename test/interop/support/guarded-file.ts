import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { makeTempDir, removeTempDir } from '../../support/temp-dir.js';

/**
 * A number in a file with a copy beside it, and a list of those who incremented it. Access is not
 * atomic: without a lock, increments are lost, and readers see different numbers.
 */
export class GuardedFile {
  private constructor(readonly path: string) {}

  /** Creates a file with 0, which is removed after the test. */
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

  /** The number of increments by a partner among the first `count`. */
  amongFirst(count: number, name: string): number {
    const names = readFileSync(`${this.path}.tokens`, 'utf8').trim().split('\n');
    return names.slice(0, count).filter((one) => one === name).length;
  }

  async increment(): Promise<void> {
    const next = String(this.number + 1);
    writeFileSync(`${this.path}.copy`, next);
    // Lets other calls run, which would show if one were in this section.
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
