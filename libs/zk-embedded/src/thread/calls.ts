import type { EmbeddedServer } from '../embedded-server.js';
import type { ErrorMessage } from './error-message.js';

/** The calls that the server accepts in its thread. */
export type ServerCall =
  | 'sessions'
  | 'stop'
  | 'restart'
  | 'expireSession'
  | 'dropConnections'
  | 'pause'
  | 'resume'
  | 'delay'
  | 'loseNextReply'
  | 'refuse'
  | 'accept'
  | 'setNextSequence';

export type CallArgs<C extends ServerCall> = Parameters<EmbeddedServer[C]>;
export type CallResult<C extends ServerCall> = Awaited<ReturnType<EmbeddedServer[C]>>;

export interface CallMessage<C extends ServerCall = ServerCall> {
  readonly id: number;
  readonly call: C;
  readonly args: CallArgs<C>;
}

/** The first message: the port, or why the server did not start. */
export type StartMessage = { readonly port: number } | { readonly failure: ErrorMessage };

export type ReplyMessage =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failure: ErrorMessage };
