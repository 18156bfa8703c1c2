/** The same for all, and long enough that a busy machine ends no session in the middle of a round. */
export const SESSION_TIMEOUT_MS = 30_000;
