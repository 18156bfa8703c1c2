/**
 * The same for all contenders, and long enough that a busy machine ends no session within a round.
 */
export const SESSION_TIMEOUT_MS = 30_000;
