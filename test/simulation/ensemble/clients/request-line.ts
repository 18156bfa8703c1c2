import { encodeErrorReply, ErrorCode, type Id, OpCode } from 'zk-protocol';
import { ReceivedRequest } from '../../../../libs/zk-embedded/src/requests/received-request.js';
import type { Caller } from '../../../../libs/zk-embedded/src/requests/request-context.js';
import type { Answer } from '../../../../libs/zk-embedded/src/requests/request-processor.js';
import type { DataTree } from '../../../../libs/zk-embedded/src/tree/data-tree.js';
import type { Asker, Entry, Request } from '../log/entry.js';
import type { Service } from './service.js';

/** A request whose answer waits for earlier answers or for the leader. */
interface Waiting {
  readonly received: ReceivedRequest;
  /** The request that was sent to the leader, if it is a write. */
  readonly request?: Request;
  readonly refusal?: ErrorCode | undefined;
  isReady: boolean;
}

/** A request that changes nothing, and has just been executed. */
export interface Read {
  readonly sessionId: bigint;
  /** The host of its client. */
  readonly address: string;
  readonly received: ReceivedRequest;
  readonly tree: DataTree;
}

interface Client extends Asker {
  readonly timeoutMs: number;
  onRead(read: Read): void;
  send(frame: Buffer): void;
  /** Closes the connection after everything has been sent. */
  end(): void;
  /** Closes the connection immediately. */
  destroy(): void;
}

const WRITES: ReadonlySet<number> = new Set([
  OpCode.create,
  OpCode.create2,
  OpCode.createContainer,
  OpCode.createTTL,
  OpCode.delete,
  OpCode.setData,
  OpCode.setACL,
  OpCode.check,
  OpCode.multi,
  OpCode.reconfig,
  OpCode.closeSession,
]);

/** Whether requests of this type take a zxid. */
function isWrite(type: number): boolean {
  return WRITES.has(type);
}

/** The requests that a session has sent on one connection. They are answered in order. */
export class RequestLine {
  #line: Waiting[] = [];

  constructor(
    private readonly client: Client,
    private readonly service: Service,
    private caller: Caller,
  ) {}

  get identities(): readonly Id[] {
    return this.caller.identities;
  }

  /**
   * @throws {ProtocolError} if the request cannot be answered and the connection has to be closed
   */
  take(bytes: Buffer): void {
    const received = new ReceivedRequest(bytes);
    const { type } = received;
    if (type === OpCode.auth) return this.#authenticate(received);
    const { client, service, caller } = this;
    const { id: sessionId } = caller.session;
    // Like ZooKeeper, a server that knows that the session has expired does not answer.
    if (!service.touch(sessionId, client.timeoutMs)) return;
    if (isWrite(type)) {
      const { identities, address } = caller;
      const write = { kind: 'write' as const, sessionId, received, identities, address };
      const request = { ...write, asker: client };
      this.#line.push({ received, request, isReady: false });
      service.submit(request);
    } else if (type === OpCode.sync) {
      const waiting = { received, isReady: false };
      this.#line.push(waiting);
      service.sync(() => {
        waiting.isReady = true;
        this.#advance();
      });
    } else {
      const refusal = service.check(sessionId);
      if (this.#line.length > 0) this.#line.push({ received, refusal, isReady: true });
      else this.#read(received, refusal);
    }
  }

  /** The client has disconnected: waiting requests are not executed and set no watches. */
  drop(): void {
    this.#line = [];
  }

  /** Answers a write that was applied, and the requests behind it up to the next write. */
  applied({ request, refusal }: Entry, answer: Answer | undefined): void {
    const first = this.#line.shift();
    if (!answer || first?.request !== request) {
      throw new Error('a write was applied that was not the first in its line');
    }
    if (refusal === ErrorCode.sessionMoved) return this.client.destroy();
    this.#answer(answer);
    this.#advance();
  }

  #advance(): void {
    while (this.#line[0]?.isReady === true) {
      const { received, refusal } = this.#line.shift()!;
      this.#read(received, refusal);
    }
  }

  /** New identities also apply to requests that are still waiting. */
  #authenticate(received: ReceivedRequest): void {
    // Writes under way keep the identities that they were sent with.
    this.caller = { ...this.caller, identities: [...this.caller.identities] };
    this.#answer(this.service.replica.processor.execute(this.caller, received));
  }

  #read(received: ReceivedRequest, refusal: ErrorCode | undefined): void {
    const { client, service, caller } = this;
    if (refusal === ErrorCode.sessionMoved) return client.destroy();
    const { processor, database } = service.replica;
    if (refusal === undefined) {
      this.#answer(processor.execute(caller, received));
      const { session, address } = caller;
      client.onRead({ sessionId: session.id, address, received, tree: database.tree });
    } else {
      client.send(encodeErrorReply({ xid: received.xid, zxid: database.lastZxid, err: refusal }));
    }
  }

  #answer({ encode, closes }: Answer): void {
    this.client.send(encode());
    if (!closes) return;
    this.#line = [];
    this.client.end();
  }
}
