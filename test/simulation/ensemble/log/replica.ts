import { ErrorCode, OpCode } from 'zk-protocol';
import { Database } from '../../../../libs/zk-embedded/src/database.js';
import {
  type Answer,
  refusal,
  reply,
  RequestProcessor,
} from '../../../../libs/zk-embedded/src/requests/request-processor.js';
import type { Session } from '../../../../libs/zk-embedded/src/sessions/session-table.js';
import { type Watcher, Watches } from '../../../../libs/zk-embedded/src/watches/watches.js';
import type { Transaction } from '../../../../libs/zk-embedded/src/tree/transaction.js';
import { type Environment, withEnvironment } from '../../world/current-process.js';
import type { Entry, Request, WriteRequest } from './entry.js';

/** Sets no watches: writes may come from another server. */
const UNWATCHED: Watcher = { notify: () => undefined };

/** The time that entries see. Randomness is refused: all servers must reach the same state. */
class EntryEnvironment implements Environment {
  readonly name = 'an entry of the log';
  time = 0;

  get random(): never {
    throw new Error('an entry of the log used randomness');
  }

  wall(): number {
    return this.time;
  }

  monotonic(): number {
    return this.time;
  }
}

/** The znodes, sessions and watches of one server, as far as it has executed the log. */
export class Replica {
  readonly watches = new Watches();
  readonly processor: RequestProcessor;
  readonly #environment = new EntryEnvironment();
  #lastZxid: number;

  constructor(readonly database: Database) {
    this.processor = new RequestProcessor(database, this.watches);
    this.#lastZxid = Number(database.lastZxid);
  }

  static empty(tickTimeMs: number): Replica {
    return new Replica(Database.empty(tickTimeMs));
  }

  /** The last zxid that was executed, or the one with which a leader's epoch began. */
  get lastZxid(): number {
    return this.#lastZxid;
  }

  begin(zxid: number): void {
    this.#lastZxid = zxid;
    this.database.continueAfter(BigInt(zxid));
  }

  applyAll(entries: readonly Entry[]): void {
    for (const entry of entries) this.apply(entry);
  }

  /** Executes an entry. Watchers on this server are notified before this returns. */
  apply(entry: Entry): Answer | undefined {
    if (entry.zxid <= this.#lastZxid) throw new Error('an entry was executed twice');
    this.#environment.time = entry.time;
    this.#lastZxid = entry.zxid;
    const zxid = BigInt(entry.zxid);
    this.database.continueAfter(zxid - 1n, entry.time);
    try {
      return withEnvironment(this.#environment, () => this.#execute(entry));
    } finally {
      // A refused entry, such as a write of an expired session, may not have advanced the zxid.
      this.database.continueAfter(zxid);
    }
  }

  #execute({ request, refusal, zxid }: Entry): Answer | undefined {
    if (refusal !== undefined) return refuse(request, refusal, zxid);
    switch (request.kind) {
      case 'open':
        this.#open(request.sessionId, request.timeoutMs);
        return undefined;
      case 'end': {
        const session = this.database.sessions.find(request.sessionId);
        if (session) this.processor.endSession(session);
        return undefined;
      }
      case 'reap':
        this.#reap(request.path);
        return undefined;
      case 'write':
        return this.#write(request, zxid);
    }
  }

  #write(request: WriteRequest, zxid: number): Answer {
    const { sessionId, identities, address, received } = request;
    const session = this.database.sessions.find(sessionId);
    if (!session) {
      if (received.type === OpCode.closeSession) return closed(request, zxid);
      return refuse(request, ErrorCode.sessionExpired, zxid)!;
    }
    return this.processor.execute({ session, watcher: UNWATCHED, identities, address }, received);
  }

  #open(sessionId: bigint, timeoutMs: number): void {
    this.database.sessions.add(sessionOf(sessionId, timeoutMs));
  }

  /** Like ZooKeeper, also deletes a node that has replaced the found one, unless ephemeral. */
  #reap(path: string): void {
    const { tree } = this.database;
    const node = tree.find(path);
    if (!node || node.owner.kind === 'session' || node.children.size > 0) return;
    const { transaction } = this.database.transact((one: Transaction) => tree.delete(one, path));
    for (const event of transaction.events) this.watches.fire(event);
  }
}

export function sessionOf(id: bigint, timeoutMs: number): Session {
  const times = { createdTimeoutMs: timeoutMs, timeoutMs, expiresAt: 0 };
  return { id, password: passwordOf(id), ...times };
}

/** Like ZooKeeper, each server derives a session's password from its id. */
export function passwordOf(id: bigint): Buffer {
  const password = Buffer.alloc(16);
  password.writeBigInt64BE(id ^ 0x0b30_2ac5_5e55_10e5n, 0);
  password.writeBigInt64BE(~id, 8);
  return password;
}

function refuse(request: Request, err: ErrorCode, zxid: number): Answer | undefined {
  if (request.kind !== 'write') return undefined;
  const { received } = request;
  const { xid, type } = received;
  const header = { xid, zxid: BigInt(zxid) };
  if (type !== OpCode.multi || err === ErrorCode.sessionMoved) {
    return refusal({ ...header, err }, type);
  }
  // Each operation of a multi gets its own error.
  const results = received.body(OpCode.multi).map((_, index) => ({
    type: OpCode.error,
    err: index === 0 ? err : ErrorCode.runtimeInconsistency,
  }));
  return reply(header, OpCode.multi, results);
}

function closed({ received: { xid } }: WriteRequest, zxid: number): Answer {
  return reply({ xid, zxid: BigInt(zxid) }, OpCode.closeSession, undefined, true);
}
