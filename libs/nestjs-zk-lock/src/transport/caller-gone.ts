import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ContextType, ExecutionContext } from '@nestjs/common';
import { type Connection, onConnectionClosed } from './connection-closed.js';

/** `PATTERN_HANDLER_METADATA` and `PatternHandler.EVENT` of an optional peer, `@nestjs/microservices`. */
const PATTERN_HANDLER = 'microservices:handler_type';
const EVENT_HANDLER = 2;

/** HTTP/2 has many requests on one socket, each with a stream of its own. */
type RawRequest = Partial<IncomingMessage> & { readonly stream?: Duplex };

/** What a GraphQL driver puts into its context: Express's and mercurius's request, or Fastify's. */
interface GraphQLContext {
  readonly req?: RawRequest & { readonly raw?: RawRequest };
}

/** `TcpContext`; that of a broker knows no connection to the caller. */
interface RpcContext {
  getSocketRef?(): { readonly netSocket?: Connection };
}

/**
 * Calls `listener` when a handler's caller goes away before it was answered, where the transport
 * tells so.
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
      const isEvent = Reflect.getMetadata(PATTERN_HANDLER, context.getHandler()) === EVENT_HANDLER;
      const rpc = context.switchToRpc().getContext<RpcContext | undefined>();
      return isEvent ? undefined : rpc?.getSocketRef?.().netSocket;
    }
    default:
      return undefined;
  }
}

/** Why the wait of a handler was aborted: its caller is not there any more. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';

  constructor() {
    super('The client closed the connection before it was answered.');
  }
}

/** Express passes Node's response, Fastify a reply around it. */
type HttpResponse = Partial<ServerResponse> & { raw?: ServerResponse };

/**
 * Calls `listener` when the connection closes before the response was sent.
 *
 * @returns a function that stops listening
 */
export function onClientGone(response: HttpResponse, listener: () => void): () => void {
  const raw = (response.raw ?? response) as ServerResponse;
  const onClose = (): void => {
    if (!raw.writableFinished) listener();
  };
  if (raw.destroyed) onClose();
  raw.once('close', onClose);
  return () => {
    raw.off('close', onClose);
  };
}
