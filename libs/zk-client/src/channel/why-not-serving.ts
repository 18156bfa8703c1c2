import { isIPv6, type Socket } from 'node:net';
import { openSocket, type SocketOptions } from './open-socket.js';

/** Much more than a server says of itself. */
const MOST_BYTES = 10_000;

/**
 * What a server that gives no session says of itself: that it is read-only, or does not serve, since it
 * has no majority. Undefined where it says neither. It is asked by `srvr`, the one command that every
 * server answers.
 *
 * @throws the system's error, or the one of TLS, where it cannot be reached; the reason of `signal`
 * once that aborts
 */
export async function whyNotServing(options: SocketOptions): Promise<Error | undefined> {
  const { host, port, signal } = options;
  const reason = reasonIn(await ask(await openSocket(options), signal));
  const server = isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
  return reason === undefined ? undefined : new Error(`${server} ${reason}`);
}

function reasonIn(answer: string): string | undefined {
  if (/^Mode: read-only$/m.test(answer)) return 'is read-only, no majority';
  if (/^This ZooKeeper instance is not currently serving requests$/m.test(answer)) {
    return 'does not serve: no majority, or it is starting';
  }
  return undefined;
}

function ask(socket: Socket, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const onAbort = (): void => void socket.destroy(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    socket
      .setEncoding('latin1')
      .on('data', (text: string) => {
        answer += text;
        if (answer.length > MOST_BYTES) socket.destroy();
      })
      .on('error', reject)
      // The server ends the connection behind its answer.
      .on('close', () => {
        signal.removeEventListener('abort', onAbort);
        resolve(answer);
      });
    // Not `end`: a server that sees the end before it has answered may answer nothing.
    socket.write('srvr');
  });
}
