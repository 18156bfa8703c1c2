import type { EmbeddedServer } from '../embedded-server.js';
import type { ErrorMessage } from './error-message.js';

/** What the server in its thread can be asked to do. */
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

/** The first message says where the server serves, or why it does not. */
export type StartMessage = { readonly port: number } | { readonly failure: ErrorMessage };

export type ReplyMessage =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failure: ErrorMessage };
