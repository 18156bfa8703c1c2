import type { ConnectionOptions } from 'node:tls';
import { askWord } from 'zk-locks/inspect';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** A server's answer to a four-letter word, which may be empty. */
export type Answer =
  | { readonly text: string; readonly ms: number }
  /** The server could not be asked; the code of Node's error. */
  | { readonly error: string };

/** Asks a server one of its four-letter words. Never rejects. */
export async function askServer(
  { host, port }: Address,
  word: string,
  tls: ConnectionOptions | undefined,
  timeoutMs: number,
): Promise<Answer> {
  const startedAt = performance.now();
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const text = await askWord(word, { host, port, tls, signal });
    return { text, ms: performance.now() - startedAt };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { error: signal.aborted ? 'ETIMEDOUT' : (code ?? message) };
  }
}
