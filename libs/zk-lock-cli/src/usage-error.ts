/** The command was called in a way that it cannot be; the message names the flag and the remedy. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
