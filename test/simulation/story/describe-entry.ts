import type { JournalEntry } from '../../workers/soak/protocol.js';

export function describeEntry(entry: JournalEntry): string {
  const { type, at: _at, ...rest } = entry;
  const details = Object.entries(rest).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  return `${type} ${details.join(', ')}`;
}
