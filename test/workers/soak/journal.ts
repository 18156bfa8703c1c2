import { closeSync, openSync, writeSync } from 'node:fs';
import type { JournalEntry } from './protocol.js';

/** Milliseconds of the machine's monotonic clock. */
export const machineTime = (): number => Number(process.hrtime.bigint()) / 1e6;

/** The worker's journal. Each entry is in the file before the call returns. */
export class Journal {
  readonly #file: number;
  #numbers = 0;

  constructor(path: string) {
    this.#file = openSync(path, 'a');
  }

  /** A number that is unique among this worker's waits, grants and holdings. */
  nextNumber(): number {
    return ++this.#numbers;
  }

  note(entry: JournalEntry): void {
    writeSync(this.#file, `${JSON.stringify(entry)}\n`);
  }

  close(): void {
    closeSync(this.#file);
  }
}
