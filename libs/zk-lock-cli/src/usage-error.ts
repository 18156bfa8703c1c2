/** The command line is not valid. The message names the flag and the remedy. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
