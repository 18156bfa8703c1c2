import {
  ErrorCode,
  encodeErrorReply,
  encodeReply,
  JuteReader,
  OpCode,
  ProtocolError,
  type ReplyBody,
  type RequestBody,
  requestCodec,
  RequestHeader,
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
import type { Caller, RequestContext } from './request-context.js';
import * as watching from './watch-requests.js';
import * as writes from './write-requests.js';

export interface Answer {
  readonly frame: Buffer;
  /** The type of the request, which may be an unknown number. */
  readonly type: number;
  /** Whether the connection ends after this answer. */
  readonly closes: boolean;
}

/** A request whose header was read. */
interface Pending<T extends RequestType> {
  readonly caller: Caller;
  readonly xid: number;
  readonly type: T;
  readonly reader: JuteReader;
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
   * @param bytes the frame, without its length
   * @throws {ProtocolError} if the frame has no complete header, or is an `auth` that cannot be
   * decoded: the connection has to end
   */
  execute(caller: Caller, bytes: Buffer): Answer {
    const reader = new JuteReader(bytes);
    const { xid, type } = RequestHeader.read(reader);
    if (type === OpCode.auth) return this.#authenticate(caller, xid, reader);
    try {
      switch (type) {
        case OpCode.ping:
          return this.#reply(SpecialXid.ping, type, undefined);
        case OpCode.closeSession:
          this.endSession(caller.session);
          return this.#reply(xid, type, undefined, { closes: true });
        default:
          return this.#dispatch({ caller, xid, type: type as RequestType, reader });
      }
    } catch (error) {
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

  #dispatch<T extends RequestType>({ caller, xid, type, reader }: Pending<T>): Answer {
    const context = { database: this.database, watches: this.watches, caller };
    const read: Read<T> | undefined = READS[type];
    if (read) return this.#reply(xid, type, read(context, requestCodec(type).read(reader)));
    const write: Write<T> | undefined = WRITES[type];
    if (!write) return unimplemented(xid, type);
    try {
      const body = this.#commit((transaction) =>
        // A write that cannot be decoded takes a zxid, too.
        write(context, transaction, requestCodec(type).read(reader)),
      );
      return this.#reply(xid, type, body);
    } catch (error) {
      if (!(error instanceof MultiFailed)) throw error;
      return this.#reply(xid, OpCode.multi, error.results);
    }
  }

  #commit<T>(change: (transaction: Transaction) => T): T {
    const { result, transaction } = this.database.transact(change);
    for (const event of transaction.events) this.watches.fire(event);
    return result;
  }

  #authenticate({ identities, address }: Caller, xid: number, reader: JuteReader): Answer {
    const { scheme, auth } = requestCodec(OpCode.auth).read(reader);
    const identity = authenticate(scheme, auth, address);
    const header = { xid, zxid: 0n };
    if (!identity) {
      const frame = encodeErrorReply({ ...header, err: ErrorCode.authFailed });
      return { frame, type: OpCode.auth, closes: true };
    }
    if (!identities.some((known) => isSameId(known, identity))) identities.push(identity);
    const frame = encodeReply(header, OpCode.auth, undefined);
    return { frame, type: OpCode.auth, closes: false };
  }

  #reply<T extends RequestType>(
    xid: number,
    type: T,
    body: ReplyBody<T>,
    { closes = false } = {},
  ): Answer {
    const frame = encodeReply({ xid, zxid: this.database.lastZxid }, type, body);
    return { frame, type, closes };
  }

  #refuse(xid: number, type: number, err: ErrorCode): Answer {
    const frame = encodeErrorReply({ xid, zxid: this.database.lastZxid, err });
    return { frame, type, closes: false };
  }
}

/** An unknown request gets an answer without a transaction. */
function unimplemented(xid: number, type: number): Answer {
  const frame = encodeErrorReply({ xid, zxid: -1n, err: ErrorCode.unimplemented });
  return { frame, type, closes: true };
}

/** Malformed requests are answered as Java's server answers them. */
function errorCodeOf(error: unknown): ErrorCode {
  if (error instanceof RequestRefused) return error.code;
  if (error instanceof ProtocolError) return ErrorCode.marshallingError;
  throw error;
}
