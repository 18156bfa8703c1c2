import type { JournalEntry } from '../../workers/soak/protocol.js';

/** What it says besides its type and its time. */
export function describeEntry({ type: _type, at: _at, ...rest }: JournalEntry): string {
  return Object.entries(rest)
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
    .join(', ');
}
