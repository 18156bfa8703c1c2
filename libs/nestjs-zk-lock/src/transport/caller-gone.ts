import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ContextType, ExecutionContext } from '@nestjs/common';
import { type Connection, onConnectionClosed } from './connection-closed.js';

/** `PATTERN_HANDLER_METADATA` and `PatternHandler.EVENT` of an optional peer, `@nestjs/microservices`. */
const PATTERN_HANDLER = 'microservices:handler_type';
const EVENT_HANDLER = 2;

/** HTTP/2 has many requests on one socket, each with its own stream. */
type RawRequest = Partial<IncomingMessage> & { readonly stream?: Duplex };

/**
 * What a GraphQL driver puts into its context: the request of Express and mercurius, or that of
 * Fastify.
 */
interface GraphQLContext {
  readonly req?: RawRequest & { readonly raw?: RawRequest };
}

/** `TcpContext`. The context of a broker has no connection to the caller. */
interface RpcContext {
  getSocketRef?(): { readonly netSocket?: Connection };
}

/**
 * Calls `listener` when a handler's caller leaves before it gets its response, if the transport
 * reports that.
 *
 * @returns a function that stops listening
 */
export function onCallerGone(context: ExecutionContext, listener: () => void): () => void {
  if (context.getType() === 'http') {
    return onClientGone(context.switchToHttp().getResponse(), listener);
  }
  return onConnectionClosed(connectionOf(context), listener);
}

function connectionOf(context: ExecutionContext): Connection | undefined {
  switch (context.getType<ContextType | 'graphql'>()) {
    case 'graphql': {
      const { req } = context.getArgByIndex<GraphQLContext | undefined>(2) ?? {};
      const raw = req?.raw ?? req;
      return raw?.stream ?? raw?.socket;
    }
    case 'ws':
      return context.switchToWs().getClient<Connection>();
    case 'rpc': {
      // The sender of an event may leave: the event is handled anyway.
      if (isEvent(context)) return undefined;
      return context.switchToRpc().getContext<RpcContext | undefined>()?.getSocketRef?.().netSocket;
    }
    default:
      return undefined;
  }
}

/** Whether it is a run of an `@EventPattern()` handler, whose caller waits for no answer. */
export function isEvent(context: ExecutionContext): boolean {
  if (context.getType() !== 'rpc') return false;
  return Reflect.getMetadata(PATTERN_HANDLER, context.getHandler()) === EVENT_HANDLER;
}

/** The reason why a handler's wait was aborted: its caller has left. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';

  constructor() {
    super('The client closed the connection before it got its response.');
  }
}

/** The response of Node, for either version of HTTP. */
type RawResponse = ServerResponse & Pick<RawRequest, 'stream'>;

/**
 * Node's response, which Express passes, and which the reply of Fastify wraps. Undefined if there is
 * none: the contexts of Nest's `ExternalContextCreator` are of HTTP by default, whatever their arguments.
 */
export function rawResponseOf(response: unknown): RawResponse | undefined {
  const { raw = response } = (response ?? {}) as { raw?: unknown };
  return typeof (raw as Partial<RawResponse> | undefined)?.once === 'function'
    ? (raw as RawResponse)
    : undefined;
}

/**
 * Calls `listener` when the connection closes before the response was sent.
 *
 * @returns a function that stops listening
 */
export function onClientGone(response: unknown, listener: () => void): () => void {
  const raw = rawResponseOf(response);
  if (!raw) return () => undefined;
  const onClose = (): void => {
    // An HTTP/2 response also counts as finished if its client has left before it was sent.
    if (!raw.writableEnded || !raw.writableFinished) listener();
  };
  if (raw.destroyed || raw.stream?.destroyed) onClose();
  raw.once('close', onClose);
  return () => {
    raw.off('close', onClose);
  };
}
