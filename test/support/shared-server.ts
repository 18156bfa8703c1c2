import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { claim } from './claim.js';
import { fourLetterWord, type FourLetterWord } from './four-letter-word.js';
import type { ServerKind } from './test-server.js';
import { waitFor } from './wait-for.js';

declare module 'vitest' {
  interface ProvidedContext {
    sharedServerPorts: readonly number[];
    serverKind: ServerKind;
  }
}

export interface SharedServer {
  readonly port: number;
  readonly connectString: string;
  fourLetterWord(word: FourLetterWord): Promise<string>;
}

/**
 * Owned by this process until it ends. Vitest's worker number does not guarantee that: the process
 * of the previous file may still be ending when the next one begins.
 */
const port = await waitFor(
  async () => {
    for (const one of inject('sharedServerPorts')) {
      if (await claim(one, 'sharedServer')) return one;
    }
    return undefined;
  },
  { what: 'a shared server that no other file of tests uses', timeoutMs: 30_000 },
);

/**
 * The server that integration tests share, one file after the other. Use a root of your own in it
 * ({@link uniqueRoot}), and do not stop it: a test that stops its server starts its own.
 */
export function sharedServer(): SharedServer {
  return {
    port,
    connectString: `127.0.0.1:${String(port)}`,
    fourLetterWord: (word) => fourLetterWord(port, word),
  };
}

/** A path that no other test uses. */
export function uniqueRoot(): string {
  return `/test-${randomUUID()}`;
}
