import type { Socket } from 'node:net';
import { ProtocolError } from 'zk-protocol';
import { LinkedSignal } from '../../listeners.js';
import { ZooKeeperError } from '../../port/client-errors.js';
import { formatAddress } from '../../port/connect-string.js';
import { openSocket, type SocketOptions } from './open-socket.js';
import { describeStranger, SPEAKS_NO_TLS, SPEAKS_TLS, StrangerError } from './stranger.js';

/** Much longer than the answers to `srvr` and `conf`. */
const MOST_BYTES = 10_000;

/** A server that answers at all answers sooner, in milliseconds. */
const REASON_TIMEOUT_MS = 1_000;

/** A ZooKeeper server without TLS answers sooner, in milliseconds. */
const ANSWER_MS = 400;

/**
 * Asks a server that grants no session for the reason: it is read-only, has no majority, requires
 * TLS, or is not a ZooKeeper server. Undefined if its answer shows none of these. The question is
 * `srvr`, the one command that every server answers.
 *
 * @throws the system's error or the TLS error if the server cannot be reached; the reason of
 * `signal` once that aborts
 */
export async function whyNotServing(options: SocketOptions): Promise<Error | undefined> {
  const answer = await answerOf(options);
  const reason = answer === '' ? await whySilent(options) : reasonIn(answer);
  return reason === undefined ? undefined : new Error(`${formatAddress(options)} ${reason}`);
}

/**
 * Asks a server with which no TLS connection could be made whether it supports TLS at all.
 * Undefined if it does not answer without TLS.
 *
 * @throws as {@link whyNotServing}
 */
export async function whyNoTls({ tls: _, ...options }: SocketOptions): Promise<Error | undefined> {
  const answer = await askWord('srvr', options);
  if (answer === '') return undefined;
  const isZooKeeper = IS_ZOOKEEPER.test(answer);
  const reason = (isZooKeeper ? undefined : describeStranger(Buffer.from(answer))) ?? SPEAKS_NO_TLS;
  return new Error(`${formatAddress(options)} ${reason}`);
}

const IS_ZOOKEEPER = /zookeeper|^srvr is not executed/i;

function reasonIn(answer: string): string | undefined {
  if (/^Mode: read-only$/m.test(answer)) return 'is read-only: there is no majority';
  if (/^This ZooKeeper instance is not currently serving requests$/m.test(answer)) {
    return 'does not serve: there is no majority, or the server is starting';
  }
  return IS_ZOOKEEPER.test(answer) ? undefined : describeStranger(Buffer.from(answer));
}

/**
 * Empty if it closes the connection without an answer, or waits for more bytes, as a server that
 * requires TLS does.
 */
async function answerOf({ signal, ...options }: SocketOptions): Promise<string> {
  using soon = new LinkedSignal([signal, AbortSignal.timeout(ANSWER_MS)]);
  const socket = await openSocket({ ...options, signal: soon.signal });
  return await ask(socket, soon.signal, 'srvr').catch((error: unknown) => {
    if (!soon.signal.aborted || signal.aborted) throw error;
    return '';
  });
}

async function whySilent(options: SocketOptions): Promise<string | undefined> {
  return !options.tls && (await speaksTls(options)) ? SPEAKS_TLS : undefined;
}

/**
 * Whether it answers a client that does not ask for its certificate, or refuses a client that has
 * none.
 */
async function speaksTls(options: SocketOptions): Promise<boolean> {
  try {
    const socket = await openSocket({ ...options, tls: { rejectUnauthorized: false } });
    socket.destroy();
    return true;
  } catch (error) {
    return /^ERR_SSL_.*ALERT/.test((error as NodeJS.ErrnoException).code ?? '');
  }
}

/**
 * A server's answer to one of its four-letter words, which may be empty. The end of an answer of
 * more than 10,000 bytes may be missing.
 *
 * @throws as {@link whyNotServing}
 */
export async function askWord(word: string, options: SocketOptions): Promise<string> {
  return ask(await openSocket(options), options.signal, word);
}

function ask(socket: Socket, signal: AbortSignal, word: string): Promise<string> {
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
    socket.write(word);
  });
}

/**
 * The reason that a server gives when asked, after it has closed the connection during the
 * handshake.
 */
export async function reasonOfRefusal(
  error: unknown,
  options: SocketOptions,
): Promise<Error | undefined> {
  const isAnswered = [ZooKeeperError, ProtocolError, StrangerError].some(
    (kind) => error instanceof kind,
  );
  return isAnswered ? undefined : reasonBy(whyNotServing, options);
}

/**
 * Errors of a server that closed the connection on TLS, or answered something else; not those of
 * certificates and networks.
 */
const NOT_TLS = /^(ECONNRESET|EPROTO|EPIPE|ERR_SSL_(?!.*ALERT).*)$/;

/** The reason if a TLS connection failed because the server does not support TLS. */
export async function reasonWithoutTls(
  error: unknown,
  options: SocketOptions,
): Promise<Error | undefined> {
  const { code = 'ECONNRESET' } = error as NodeJS.ErrnoException;
  return options.tls && NOT_TLS.test(code) ? reasonBy(whyNoTls, options) : undefined;
}

/** Undefined if the server does not tell soon. */
async function reasonBy(
  ask: typeof whyNotServing,
  { signal, ...options }: SocketOptions,
): Promise<Error | undefined> {
  if (signal.aborted) return undefined;
  using soon = new LinkedSignal([signal, AbortSignal.timeout(REASON_TIMEOUT_MS)]);
  return await ask({ ...options, signal: soon.signal }).catch(() => undefined);
}
