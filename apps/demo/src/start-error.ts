/** The demo cannot start as it was asked to; the message is all that its user needs. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
