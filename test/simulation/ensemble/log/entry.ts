import type { ErrorCode, Id } from 'zk-protocol';
import type { ReceivedRequest } from '../../../../libs/zk-embedded/src/requests/received-request.js';
import type { Answer } from '../../../../libs/zk-embedded/src/requests/request-processor.js';

/** A client's connection that waits until its request is applied on its server. */
export interface Asker {
  /** Identifies one run of one server. */
  readonly port: object;
  /** @param answer undefined if the request has no response frame, such as a new session */
  applied(entry: Entry, answer: Answer | undefined): void;
}

interface Asked {
  /** Undefined if the server itself makes the request. */
  readonly asker?: Asker;
}

/** A request that is assigned a zxid. */
export type Request = Asked &
  (
    | { readonly kind: 'open'; readonly sessionId: bigint; readonly timeoutMs: number }
    | { readonly kind: 'end'; readonly sessionId: bigint }
    | { readonly kind: 'reap'; readonly path: string }
    | WriteRequest
  );

export interface WriteRequest extends Asked {
  readonly kind: 'write';
  readonly sessionId: bigint;
  readonly received: ReceivedRequest;
  readonly identities: Id[];
  readonly address: string;
}

/** A transaction in the log. Every server that executes it reaches the same state. */
export interface Entry {
  readonly zxid: number;
  /** The leader's wall clock, in milliseconds since 1970. */
  readonly time: number;
  /** The time of the simulated world, which no server knows. */
  readonly at: number;
  readonly request: Request;
  /** The error with which the leader refused the request. A refused request also has a zxid. */
  readonly refusal: ErrorCode | undefined;
}
