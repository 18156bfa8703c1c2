import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** The words that the tests use; ZooKeeper knows more. */
export type FourLetterWord =
  'conf' | 'cons' | 'dump' | 'mntr' | 'ruok' | 'srvr' | 'stat' | 'wchc' | 'wchp' | 'wchs';

/**
 * Asks a ZooKeeper server a four-letter word and returns its whole answer.
 *
 * @throws {Error} when the server refuses, resets or does not answer within `timeoutMs`
 */
export async function fourLetterWord(
  port: number,
  word: FourLetterWord,
  timeoutMs = 5_000,
): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.setTimeout(timeoutMs, () => {
    socket.destroy(new Error(`no answer to "${word}" from port ${port} in ${timeoutMs} ms`));
  });
  // The socket stays open: a server that sees its end before answering may not answer.
  socket.write(word);
  try {
    return await text(socket);
  } finally {
    socket.destroy();
  }
}

/** The sessions in a `dump`. The connections further down may outlast them. */
export function sessionsIn(dump: string): string {
  return dump.slice(0, dump.indexOf('ephemeral nodes dump'));
}

export function sessionIdsIn(dump: string): string[] {
  return [...new Set(sessionsIn(dump).match(/0x[0-9a-f]+/g) ?? [])];
}
