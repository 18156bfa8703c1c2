import { Injectable, type OnModuleInit } from '@nestjs/common';
import { appendFile, readFile } from 'node:fs/promises';
import { Settings } from './settings.js';
import { StartError } from './start-error.js';

interface Entry {
  readonly show: string;
  readonly sold: number;
}

/**
 * How many tickets were sold, in a file that all replicas read and write. Each line gives a show's
 * count from then on; a show's last line is the one that counts.
 *
 * Two replicas can read the same count and write the same next one; nothing here prevents that.
 * Entries of different shows do not disturb each other, because each show has a lock of its own.
 */
@Injectable()
export class SalesLedger implements OnModuleInit {
  private readonly file: string;

  constructor({ stateFile }: Settings) {
    this.file = stateFile;
  }

  /** @throws {StartError} when the file cannot be written, or is something else */
  async onModuleInit(): Promise<void> {
    const text = await this.open();
    if (text === '' || text.startsWith('{"show":')) return;
    throw new StartError(`DEMO_STATE: ${this.file} is not a sales ledger. Name a new file.`);
  }

  async read(show: string): Promise<number> {
    const prefix = `{"show":${JSON.stringify(show)},`;
    // The text after the last line end is empty, or an entry that is being written.
    const lines = (await readFile(this.file, 'utf8')).split('\n').slice(0, -1);
    const last = lines.findLast((line) => line.startsWith(prefix));
    return last === undefined ? 0 : (JSON.parse(last) as Entry).sold;
  }

  async write(show: string, sold: number): Promise<void> {
    const entry: Entry = { show, sold };
    await appendFile(this.file, `${JSON.stringify(entry)}\n`);
  }

  private async open(): Promise<string> {
    try {
      await appendFile(this.file, '');
      return await readFile(this.file, 'utf8');
    } catch (error) {
      throw new StartError(`DEMO_STATE cannot be used: ${(error as Error).message}`);
    }
  }
}
