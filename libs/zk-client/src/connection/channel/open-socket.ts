import { connect, isIP, type Socket } from 'node:net';
import {
  checkServerIdentity,
  connect as connectTls,
  type ConnectionOptions as TlsOptions,
} from 'node:tls';

export type { TlsOptions };

export interface SocketOptions {
  readonly host: string;
  readonly port: number;
  /** Uses TLS with these options of `node:tls`. The server needs a certificate for its name. */
  readonly tls?: TlsOptions | undefined;
  readonly signal: AbortSignal;
  /** Aborts when the socket must no longer keep the process running. */
  readonly over?: AbortSignal | undefined;
}

/**
 * A connected socket, with Nagle's algorithm off.
 *
 * @throws the system's error or the TLS error; the reason of `signal` once that aborts
 */
export async function openSocket({
  host,
  port,
  tls,
  signal,
  over,
}: SocketOptions): Promise<Socket> {
  signal.throwIfAborted();
  const socket = tls ? connectTls({ ...tlsFor(host, tls), host, port }) : connect({ host, port });
  socket.setNoDelay(true);
  if (over) unrefWhen(over, socket);
  try {
    await connected(socket, tls ? 'secureConnect' : 'connect', signal);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function unrefWhen(over: AbortSignal, socket: Socket): void {
  const unref = (): void => void socket.unref();
  if (over.aborted) unref();
  over.addEventListener('abort', unref, { once: true });
  socket.once('close', () => over.removeEventListener('abort', unref));
}

/**
 * The options of TLS for a server of this name or address, which its certificate has to have, unless they
 * name another. SNI does not allow an address. And a server on Java ends a handshake whose SNI has a final
 * dot or an underscore.
 */
export function tlsFor(host: string, given: TlsOptions): TlsOptions {
  const name = host.replace(/\.$/, '');
  if (given.servername !== undefined || isIP(name)) return given;
  if (!name.includes('_')) return { servername: name, ...given };
  const check: typeof checkServerIdentity = (_, found) => checkServerIdentity(name, found);
  return { servername: '', checkServerIdentity: check, ...given };
}

function connected(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    // This listener stays: an error that comes later must not end the process.
    socket.on('error', (error) => fail(error));
    const onClose = (): void => fail(new Error('the connection was closed before it was made'));
    const onAbort = (): void => fail(signal.reason as Error);
    const stop = (): void => {
      socket.off('close', onClose);
      signal.removeEventListener('abort', onAbort);
    };
    const fail = (error: Error): void => {
      stop();
      reject(error);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    socket.once('close', onClose);
    socket.once(event, () => {
      stop();
      resolve();
    });
  });
}
