/** The demo cannot start as configured; the message is all that its user needs. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
