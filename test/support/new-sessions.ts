import { sessionIdsIn } from './four-letter-word.js';
import { sharedServer } from './shared-server.js';

async function sessions(): Promise<string[]> {
  return sessionIdsIn(await sharedServer().fourLetterWord('dump'));
}

/**
 * Finds the sessions on the shared server that have begun since this call. Those of earlier tests
 * may still end.
 */
export async function findNewSessions(): Promise<() => Promise<string[]>> {
  const before = await sessions();
  return async () => (await sessions()).filter((id) => !before.includes(id));
}
