/** Of what it says, so much is shown. */
const MOST_SHOWN = 60;

/** The record of TLS in which a server refuses bytes that are not TLS. */
const TLS_ALERT = [0x15, 0x03];

/** What listens at an address, where that is no ZooKeeper server: its message is for people. */
export class StrangerError extends Error {
  override readonly name = 'StrangerError';
}

/**
 * What a server is that has said this, as a predicate. Undefined where it is not known: the first bytes
 * of text are no length that an answer of ZooKeeper has.
 */
export function describeStranger(said: Buffer): string | undefined {
  if (TLS_ALERT.every((byte, index) => said[index] === byte)) return SPEAKS_TLS;
  const line = /^[\x20-\x7e]{4,}/.exec(said.toString('latin1'))?.[0].slice(0, MOST_SHOWN);
  if (line === undefined) return undefined;
  return line.startsWith('HTTP')
    ? `is an HTTP server, not ZooKeeper: it answers "${line}"`
    : `is not a ZooKeeper server: it says "${line}"`;
}

export const SPEAKS_TLS = 'speaks TLS at this port, and `tls` is not set';
export const SPEAKS_NO_TLS = 'does not speak TLS at this port, and `tls` is set';
