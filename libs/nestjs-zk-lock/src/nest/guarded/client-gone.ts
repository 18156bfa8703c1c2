import type { ServerResponse } from 'node:http';

/** Why the wait of a handler was aborted: its caller is not there any more. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';

  constructor() {
    super('The client closed the connection before it was answered.');
  }
}

/** Express passes Node's response, Fastify a reply around it. */
type HttpResponse = Partial<ServerResponse> & { raw?: ServerResponse };

/**
 * Calls `listener` when the connection closes before the response was sent.
 *
 * @returns a function that stops listening
 */
export function onClientGone(response: HttpResponse, listener: () => void): () => void {
  const raw = (response.raw ?? response) as ServerResponse;
  const onClose = (): void => {
    if (!raw.writableFinished) listener();
  };
  if (raw.destroyed) onClose();
  raw.once('close', onClose);
  return () => {
    raw.off('close', onClose);
  };
}
