import {
  ErrorCode,
  encodeErrorReply,
  encodeReply,
  OpCode,
  ProtocolError,
  type ReplyBody,
  type ReplyHeader,
  type RequestBody,
  type RequestType,
  SpecialXid,
} from 'zk-protocol';
import type { Database } from '../database.js';
import { RequestRefused } from '../request-refused.js';
import type { Session } from '../sessions/session-table.js';
import type { Transaction } from '../tree/transaction.js';
import { isOver } from '../tree/znode.js';
import type { Watches } from '../watches/watches.js';
import { authenticate, isSameId } from './identity.js';
import { multi, MultiFailed, multiRead } from './multi-requests.js';
import * as reads from './read-requests.js';
import type { ReceivedRequest } from './received-request.js';
import type { Caller, RequestContext } from './request-context.js';
import * as watching from './watch-requests.js';
import * as writes from './write-requests.js';

export interface Answer {
  /** The answer as a frame. A server that has no client to send it to does not ask for it. */
  readonly encode: () => Buffer;
  /** The type of the request, which may be an unknown number. */
  readonly type: number;
  /** Whether the connection ends after this answer. */
  readonly closes: boolean;
}

/** A request of a type that is known. */
interface Pending<T extends RequestType> {
  readonly caller: Caller;
  readonly request: ReceivedRequest;
  readonly type: T;
}

type Read<T extends RequestType> = (
  context: RequestContext,
  request: RequestBody<T>,
) => ReplyBody<T>;
type Write<T extends RequestType> = (
  context: RequestContext,
  transaction: Transaction,
  request: RequestBody<T>,
) => ReplyBody<T>;

const READS: { readonly [T in RequestType]?: Read<T> } = {
  [OpCode.exists]: reads.exists,
  [OpCode.getData]: reads.getData,
  [OpCode.getACL]: reads.getACL,
  [OpCode.getChildren]: reads.getChildren,
  [OpCode.getChildren2]: reads.getChildren,
  [OpCode.getAllChildrenNumber]: reads.getAllChildrenNumber,
  [OpCode.getEphemerals]: reads.getEphemerals,
  [OpCode.multiRead]: multiRead,
  [OpCode.sync]: reads.sync,
  [OpCode.whoAmI]: reads.whoAmI,
  [OpCode.addWatch]: watching.addWatch,
  [OpCode.checkWatches]: watching.checkWatches,
  [OpCode.removeWatches]: watching.removeWatches,
  [OpCode.setWatches]: watching.setWatches,
  [OpCode.setWatches2]: watching.setWatches,
  // Among the reads: it takes no zxid if it cannot be decoded.
  [OpCode.reconfig]: writes.reconfig,
};

const WRITES: { readonly [T in RequestType]?: Write<T> } = {
  [OpCode.create]: writes.create,
  [OpCode.create2]: writes.create,
  [OpCode.createContainer]: writes.createContainer,
  [OpCode.createTTL]: writes.createTTL,
  [OpCode.delete]: writes.remove,
  [OpCode.setData]: writes.setData,
  [OpCode.setACL]: writes.setACL,
  [OpCode.check]: writes.check,
  [OpCode.multi]: multi,
};

/** Executes requests one after the other, in order. */
export class RequestProcessor {
  constructor(
    private readonly database: Database,
    private readonly watches: Watches,
  ) {}

  /**
   * Executes one request. Watchers of its changes are notified before this returns.
   *
   * @throws {ProtocolError} if it is an `auth` that cannot be decoded: the connection has to end
   */
  execute(caller: Caller, request: ReceivedRequest): Answer {
    const { xid, type } = request;
    if (type === OpCode.auth) return this.#authenticate(caller, request);
    try {
      switch (type) {
        case OpCode.ping:
          return this.#reply(SpecialXid.ping, type, undefined);
        case OpCode.closeSession:
          this.endSession(caller.session);
          return this.#reply(xid, type, undefined, { closes: true });
        default:
          return this.#dispatch({ caller, request, type: type as RequestType });
      }
    } catch (error) {
      if (error instanceof MultiFailed) return this.#reply(xid, OpCode.multi, error.results);
      return this.#refuse(xid, type, errorCodeOf(error));
    }
  }

  openSession(timeoutMs: number, now: number): Session {
    return this.database.transact(() => this.database.sessions.open(timeoutMs, now)).result;
  }

  /** Ends a session; its ephemeral nodes go in the same transaction. */
  endSession(session: Session): void {
    this.database.sessions.remove(session);
    this.#commit((transaction) => {
      const { tree } = this.database;
      for (const path of tree.ephemeralsOf(session.id)) tree.delete(transaction, path);
    });
  }

  /**
   * Deletes containers that have lost their last child, and nodes whose TTL is over.
   *
   * @param now in milliseconds since 1970
   */
  reapMortals(now: number): void {
    const { tree } = this.database;
    for (const node of tree.mortals()) {
      if (isOver(node, now)) this.#commit((transaction) => tree.delete(transaction, node.path));
    }
  }

  #dispatch<T extends RequestType>({ caller, request, type }: Pending<T>): Answer {
    const { xid } = request;
    const context = { database: this.database, watches: this.watches, caller };
    const read: Read<T> | undefined = READS[type];
    if (read) return this.#reply(xid, type, read(context, request.body(type)));
    const write: Write<T> | undefined = WRITES[type];
    if (!write) return unimplemented(xid, type);
    const body = this.#commit((transaction) =>
      // A write that cannot be decoded takes a zxid, too.
      write(context, transaction, request.body(type)),
    );
    return this.#reply(xid, type, body);
  }

  #commit<T>(change: (transaction: Transaction) => T): T {
    const { result, transaction } = this.database.transact(change);
    for (const event of transaction.events) this.watches.fire(event);
    return result;
  }

  #authenticate({ identities, address }: Caller, request: ReceivedRequest): Answer {
    const { scheme, auth } = request.body(OpCode.auth);
    const identity = authenticate(scheme, auth, address);
    const header = { xid: request.xid, zxid: 0n };
    if (!identity) return refusal({ ...header, err: ErrorCode.authFailed }, OpCode.auth, true);
    if (!identities.some((known) => isSameId(known, identity))) identities.push(identity);
    return reply(header, OpCode.auth, undefined);
  }

  #reply<T extends RequestType>(
    xid: number,
    type: T,
    body: ReplyBody<T>,
    { closes = false } = {},
  ): Answer {
    return reply({ xid, zxid: this.database.lastZxid }, type, body, closes);
  }

  #refuse(xid: number, type: number, err: ErrorCode): Answer {
    return refusal({ xid, zxid: this.database.lastZxid, err }, type);
  }
}

export function reply<T extends RequestType>(
  header: Omit<ReplyHeader, 'err'>,
  type: T,
  body: ReplyBody<T>,
  closes = false,
): Answer {
  return { encode: () => encodeReply(header, type, body), type, closes };
}

export function refusal(header: ReplyHeader, type: number, closes = false): Answer {
  return { encode: () => encodeErrorReply(header), type, closes };
}

/** An unknown request gets an answer without a transaction. */
function unimplemented(xid: number, type: number): Answer {
  return refusal({ xid, zxid: -1n, err: ErrorCode.unimplemented }, type, true);
}

/** Malformed requests are answered as Java's server answers them. */
function errorCodeOf(error: unknown): ErrorCode {
  if (error instanceof RequestRefused) return error.code;
  if (error instanceof ProtocolError) return ErrorCode.marshallingError;
  throw error;
}
