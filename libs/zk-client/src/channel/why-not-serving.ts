import { isIPv6, type Socket } from 'node:net';
import { openSocket, type SocketOptions } from './open-socket.js';

/** Much longer than a server's answer. */
const MOST_BYTES = 10_000;

/**
 * Asks a server that grants no session why: it is read-only, or does not serve without a majority.
 * Undefined if it says neither. The question is `srvr`, the one command that every server answers.
 *
 * @throws the system's error or the TLS error if the server cannot be reached; the reason of
 * `signal` once that aborts
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
      // The server ends the connection after its answer.
      .on('close', () => {
        signal.removeEventListener('abort', onAbort);
        resolve(answer);
      });
    // Not `end`: a server that sees the end before it has answered may not answer.
    socket.write('srvr');
  });
}
