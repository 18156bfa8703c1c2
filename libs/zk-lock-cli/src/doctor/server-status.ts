/** What a server's answer to `srvr` says. */
export type ServerStatus =
  | { readonly kind: 'serving'; readonly version: string; readonly mode: ServerMode }
  /** The server has no majority, or is starting. */
  | { readonly kind: 'not-serving' }
  /** The server does not allow the word. */
  | { readonly kind: 'mute' }
  /** The server has closed the connection without an answer, or speaks another protocol. */
  | { readonly kind: 'strange' };

export type ServerMode = 'leader' | 'follower' | 'observer' | 'standalone' | 'read-only';

export function readStatus(answer: string): ServerStatus {
  if (answer.includes('not currently serving requests')) return { kind: 'not-serving' };
  if (answer.includes('is not executed because it is not in the whitelist'))
    return { kind: 'mute' };
  const version = /^Zookeeper version: (\d+\.\d+\.\d+)/im.exec(answer)?.[1];
  const mode = /^Mode: (leader|follower|observer|standalone|read-only)$/m.exec(answer)?.[1];
  if (version === undefined || mode === undefined) return { kind: 'strange' };
  return { kind: 'serving', version, mode: mode as ServerMode };
}

/** The server's `tickTime`; undefined if `conf` is not allowed. */
export function readTickTime(answer: string): number | undefined {
  const text = /^tickTime=(\d+)$/m.exec(answer)?.[1];
  return text === undefined ? undefined : Number(text);
}

/**
 * Whether servers of this version can lose committed transactions when they restart at the wrong moment
 * (ZOOKEEPER-4785, ZOOKEEPER-4925): those before 3.8.5, and 3.9.0 to 3.9.3.
 */
export function canLoseTransactions(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (major !== 3) return false;
  return minor < 8 || (minor === 8 && patch < 5) || (minor === 9 && patch < 4);
}
