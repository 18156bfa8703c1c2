/**
 * The same for all contenders, and so long that no session ends within a round on a busy machine.
 */
export const SESSION_TIMEOUT_MS = 30_000;
