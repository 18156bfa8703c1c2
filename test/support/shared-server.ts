import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { fourLetterWord, type FourLetterWord } from './four-letter-word.js';
import type { ServerKind } from './test-server.js';

declare module 'vitest' {
  interface ProvidedContext {
    sharedServerPort: number;
    serverKind: ServerKind;
  }
}

export interface SharedServer {
  readonly port: number;
  readonly connectString: string;
  fourLetterWord(word: FourLetterWord): Promise<string>;
}

/**
 * The server that integration tests share. Use a root of your own in it ({@link uniqueRoot}), and
 * do not stop it: a test that stops its server starts one.
 */
export function sharedServer(): SharedServer {
  const port = inject('sharedServerPort');
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
