import { waitFor } from './wait-for.js';

/** Shorter than any session timeout. */
const SOON_MS = 1_800;

/**
 * Looks repeatedly for what remains after its owners have closed: a busy server may end a session
 * after its process has stopped waiting for that.
 */
export async function leftOf<T>(look: () => Promise<readonly T[]>): Promise<readonly T[]> {
  let left: readonly T[] = [];
  const isEmpty = async (): Promise<boolean> => (left = await look()).length === 0;
  await waitFor(isEmpty, { what: 'nothing to be left', timeoutMs: SOON_MS }).catch(() => undefined);
  return left;
}
