/** How many characters of its answer are shown. */
const MOST_SHOWN = 60;

/** The TLS record with which a server refuses bytes that are not TLS. */
const TLS_ALERT = [0x15, 0x03];

/** A server at an address that is not a ZooKeeper server. The message is for people. */
export class StrangerError extends Error {
  override readonly name = 'StrangerError';
}

/**
 * Describes a server by its answer, as a predicate. Undefined if the answer is unknown. The first
 * bytes of text can never be the length of an answer of ZooKeeper.
 */
export function describeStranger(said: Buffer): string | undefined {
  if (TLS_ALERT.every((byte, index) => said[index] === byte)) return SPEAKS_TLS;
  const line = /^[\x20-\x7e]{4,}/.exec(said.toString('latin1'))?.[0].slice(0, MOST_SHOWN);
  if (line === undefined) return undefined;
  return line.startsWith('HTTP')
    ? `is an HTTP server, not ZooKeeper: it answers "${line}"`
    : `is not a ZooKeeper server: it says "${line}"`;
}

export const SPEAKS_TLS = 'speaks TLS at this port, but `tls` is not set';
export const SPEAKS_NO_TLS = 'does not speak TLS at this port, but `tls` is set';
