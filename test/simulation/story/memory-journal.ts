import { Journal } from '../../workers/soak/journal.js';
import type { JournalEntry } from '../../workers/soak/protocol.js';

/** A journal that outlives its process, since the world keeps it. */
export class MemoryJournal extends Journal {
  readonly entries: JournalEntry[] = [];

  /** @param onNote is told of each entry as well */
  constructor(private readonly onNote: (entry: JournalEntry) => void) {
    super();
  }

  override note(entry: JournalEntry): void {
    this.entries.push(entry);
    this.onNote(entry);
  }
}
