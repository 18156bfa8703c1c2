import { connect, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { tlsFor } from 'zk-locks/inspect';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** A server's answer to a four-letter word, which may be empty. */
export type Answer =
  | { readonly text: string; readonly ms: number }
  /** The server could not be asked; the code of Node's error. */
  | { readonly error: string };

const MOST_BYTES = 100_000;

/** Asks a server one of its four-letter words. Never rejects. */
export function askServer(
  { host, port }: Address,
  word: string,
  tls: ConnectionOptions | undefined,
  timeoutMs: number,
): Promise<Answer> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const isTls = tls !== undefined;
    const socket: Socket = isTls
      ? connectTls({ ...tlsFor(host, tls), host, port })
      : connect({ host, port });
    let text = '';
    const end = (answer: Answer): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => end({ error: 'ETIMEDOUT' }), timeoutMs);
    socket
      // Not `end`: a server that sees the end of its input before it has answered may not answer at all.
      .once(isTls ? 'secureConnect' : 'connect', () => socket.write(word))
      .setEncoding('latin1')
      .on('data', (part: string) => {
        text += part;
        if (text.length > MOST_BYTES) socket.destroy();
      })
      .on('error', (error: NodeJS.ErrnoException) => end({ error: error.code ?? error.message }))
      .on('close', () => end({ text, ms: performance.now() - startedAt }));
  });
}
