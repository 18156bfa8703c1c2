import { type ClientRequest, request } from 'node:http';
import { json } from 'node:stream/consumers';

export interface OpenRequest {
  /** The status and the JSON of the answer. */
  readonly answer: Promise<{ status: number; body: unknown }>;
  /** Closes the connection, as a client does that goes away. */
  hangUp(): void;
}

/** A POST on a connection of its own, which nothing keeps open after the answer. */
export function openRequest(url: string): OpenRequest {
  let call!: ClientRequest;
  const answer = new Promise<{ status: number; body: unknown }>((resolve, reject) => {
    call = request(url, { method: 'POST', agent: false }, (response) => {
      json(response).then((body) => {
        resolve({ status: response.statusCode ?? 0, body });
      }, reject);
    });
    call.on('error', reject).end();
  });
  answer.catch(() => undefined);
  return { answer, hangUp: () => call.destroy() };
}
