/** A socket of Node, of `ws` or of Socket.IO, or its replacement by a platform or a test. */
export interface Connection {
  readonly destroyed?: boolean;
  readonly readyState?: unknown;
  readonly disconnected?: boolean;
  once?(event: string, listener: () => void): unknown;
  off?(event: string, listener: () => void): unknown;
}

/** `WebSocket.CLOSED` */
const CLOSED = 3;

/** Node and `ws` emit `close`. On a socket of Socket.IO, that may be a message of the client. */
const endOf = ({ disconnected }: Connection): string =>
  disconnected === undefined ? 'close' : 'disconnect';

interface Watch {
  readonly listeners: Set<() => void>;
  readonly onClosed: () => void;
}

/**
 * One listener for all calls of a connection: Node warns of a leak if an emitter has more than ten.
 */
const watches = new WeakMap<Connection, Watch>();

/**
 * Calls `listener` when a connection closes, or if it is already closed.
 *
 * @returns a function that stops listening
 */
export function onConnectionClosed(
  connection: Connection | undefined,
  listener: () => void,
): () => void {
  if (typeof connection?.once !== 'function') return () => undefined;
  if (isClosed(connection)) {
    listener();
    return () => undefined;
  }
  const watched = watches.get(connection) ?? watch(connection);
  // A separate function, so that the same listener can be added twice.
  const own = (): void => {
    listener();
  };
  watched.listeners.add(own);
  return () => {
    watched.listeners.delete(own);
    if (watched.listeners.size === 0) unwatch(connection, watched);
  };
}

function isClosed({ destroyed, readyState, disconnected }: Connection): boolean {
  return destroyed === true || readyState === CLOSED || disconnected === true;
}

function watch(connection: Connection): Watch {
  const listeners = new Set<() => void>();
  const created: Watch = {
    listeners,
    onClosed: () => {
      unwatch(connection, created);
      for (const listener of listeners) listener();
    },
  };
  watches.set(connection, created);
  connection.once?.(endOf(connection), created.onClosed);
  return created;
}

function unwatch(connection: Connection, watched: Watch): void {
  if (watches.get(connection) === watched) watches.delete(connection);
  connection.off?.(endOf(connection), watched.onClosed);
}
