import { sessionsIn } from './four-letter-word.js';
import { sharedServer } from './shared-server.js';

async function sessions(): Promise<string[]> {
  const dump = await sharedServer().fourLetterWord('dump');
  return Array.from(sessionsIn(dump).matchAll(/0x[0-9a-f]+/g), ([id]) => id);
}

/**
 * Counts the sessions on the shared server that have begun since this call. Those of earlier tests
 * may still end.
 */
export async function countNewSessions(): Promise<() => Promise<number>> {
  const before = await sessions();
  return async () => (await sessions()).filter((id) => !before.includes(id)).length;
}
