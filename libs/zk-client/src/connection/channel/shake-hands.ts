import type { Socket } from 'node:net';
import {
  ConnectRequest,
  ConnectResponse,
  decode,
  ErrorCode,
  frame,
  FrameReader,
} from 'zk-protocol';
import { ZooKeeperError } from '../../port/client-errors.js';
import type { SessionCredentials } from '../../port/zookeeper-client.js';
import { toHex } from '../translate.js';
import { describeStranger, StrangerError } from './stranger.js';

export interface Handshake {
  readonly sessionTimeoutMs: number;
  /** The session to attach to; without it the server makes a new one. */
  readonly session?: SessionCredentials | undefined;
}

const LENGTH_BYTES = 4;
const PASSWORD_BYTES = 16;
/** Two ids, a password and a few numbers. */
const MOST_BYTES = 256;

/**
 * Asks for a session, and returns what the server granted.
 *
 * @throws {ZooKeeperError} `session-over` when the session to attach to has ended
 * @throws {StrangerError} when it is another kind of server
 */
export async function shakeHands(
  socket: Socket,
  { sessionTimeoutMs, session }: Handshake,
  server: string,
  signal: AbortSignal,
): Promise<{ readonly session: SessionCredentials; readonly grantedMs: number }> {
  const askedId = session ? BigInt.asIntN(64, BigInt(`0x${session.id}`)) : 0n;
  const request: ConnectRequest = {
    protocolVersion: 0,
    lastZxidSeen: 0n,
    timeOut: sessionTimeoutMs,
    sessionId: askedId,
    passwd: session ? Buffer.from(session.password, 'hex') : Buffer.alloc(PASSWORD_BYTES),
    readOnly: false,
  };
  socket.write(frame((writer) => ConnectRequest.write(writer, request)));
  const response = decode(ConnectResponse, await firstFrame(socket, server, signal));
  const { timeOut, sessionId, passwd } = response;
  const isGranted = timeOut > 0 && sessionId !== 0n;
  if (session && (!isGranted || sessionId !== askedId)) {
    throw new ZooKeeperError(ErrorCode.sessionExpired, 'connect', server);
  }
  if (!isGranted) throw new ZooKeeperError(ErrorCode.marshallingError, 'connect', server);
  const password = (passwd ?? Buffer.alloc(0)).toString('hex');
  return { session: { id: toHex(sessionId), password }, grantedMs: timeOut };
}

function firstFrame(socket: Socket, server: string, signal: AbortSignal): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const frames = new FrameReader(MOST_BYTES);
    let receivedBytes = 0;
    let heard = Buffer.alloc(0);
    const stop = (): void => {
      socket.pause();
      socket.off('data', onData).off('close', onClose).off('error', fail);
      signal.removeEventListener('abort', onAbort);
    };
    const fail = (error: Error): void => {
      stop();
      reject(error);
    };
    const onAbort = (): void => fail(signal.reason as Error);
    const onClose = (): void =>
      fail(new Error('the server closed the connection before it answered'));
    const onData = (piece: Buffer): void => {
      try {
        receivedBytes += piece.length;
        if (heard.length < MOST_BYTES)
          heard = Buffer.concat([heard, piece.subarray(0, MOST_BYTES)]);
        const [first] = frames.read(piece);
        if (!first) return;
        stop();
        // No answer can be due yet, so the next reader will find these bytes invalid.
        const bytesBehind = receivedBytes - LENGTH_BYTES - first.length;
        if (bytesBehind > 0) socket.unshift(piece.subarray(-bytesBehind));
        resolve(first);
      } catch (error) {
        const stranger = describeStranger(heard);
        fail(
          stranger === undefined ? (error as Error) : new StrangerError(`${server} ${stranger}`),
        );
      }
    };
    socket.on('data', onData).on('close', onClose).on('error', fail);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
