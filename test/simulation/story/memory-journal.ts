import { Journal } from '../../workers/soak/journal.js';
import type { JournalEntry } from '../../workers/soak/protocol.js';

/** A journal that outlives its process. */
export class MemoryJournal extends Journal {
  readonly entries: JournalEntry[] = [];

  /** @param onNote is also called with each entry */
  constructor(private readonly onNote: (entry: JournalEntry) => void) {
    super();
  }

  override note(entry: JournalEntry): void {
    this.entries.push(entry);
    this.onNote(entry);
  }
}
