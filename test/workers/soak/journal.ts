import { closeSync, openSync, writeSync } from 'node:fs';
import type { JournalEntry } from './protocol.js';

/** Milliseconds of the machine's monotonic clock. */
export const machineTime = (): number => Number(process.hrtime.bigint()) / 1e6;

/** The record of a worker's tasks. */
export abstract class Journal {
  #numbers = 0;

  /** A number that is unique among this worker's waits, grants and holdings. */
  nextNumber(): number {
    return ++this.#numbers;
  }

  abstract note(entry: JournalEntry): void;
}

/** Each entry is in the file before the call returns, so that a killed process loses none. */
export class FileJournal extends Journal {
  readonly #file: number;

  constructor(path: string) {
    super();
    this.#file = openSync(path, 'a');
  }

  override note(entry: JournalEntry): void {
    writeSync(this.#file, `${JSON.stringify(entry)}\n`);
  }

  close(): void {
    closeSync(this.#file);
  }
}
