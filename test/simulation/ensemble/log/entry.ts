import type { ErrorCode, Id } from 'zk-protocol';
import type { ReceivedRequest } from '../../../../libs/zk-embedded/src/requests/received-request.js';
import type { Answer } from '../../../../libs/zk-embedded/src/requests/request-processor.js';

/** A client's connection that waits until what it asked for is applied on its server. */
export interface Asker {
  /** Tells servers apart, and the runs of one. */
  readonly port: object;
  /** @param answer undefined for what has no frame as its answer, as a new session */
  applied(entry: Entry, answer: Answer | undefined): void;
}

interface Asked {
  /** Undefined where a server wants it by itself. */
  readonly asker?: Asker;
}

/** What takes a zxid. */
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

/** A transaction in the log: each server that executes it comes to the same result. */
export interface Entry {
  readonly zxid: number;
  /** The leader's wall clock, in milliseconds since 1970. */
  readonly time: number;
  /** By the clock of the world, which no server knows. */
  readonly at: number;
  readonly request: Request;
  /** Why the leader refused it. It takes its zxid anyway. */
  readonly refusal: ErrorCode | undefined;
}
