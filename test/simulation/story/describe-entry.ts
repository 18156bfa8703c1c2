import type { JournalEntry } from '../../workers/soak/protocol.js';

/** Describes an entry without its type and time. */
export function describeEntry({ type: _type, at: _at, ...rest }: JournalEntry): string {
  return Object.entries(rest)
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
    .join(', ');
}
