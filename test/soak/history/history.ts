import type { Access, LockKind, Run } from '../../workers/soak/protocol.js';
import type { LockNode } from './lock-node.js';

/** A grant as its task saw it. Times are in ms, on the machine's clock. */
export interface Grant {
  /** Unique over all processes, such as `b.2#17`. */
  readonly id: string;
  readonly process: string;
  /** Identifies the holding. Its grants do not exclude each other. */
  readonly holding: string;
  /** The number of the wait for this grant; absent if that wait had another purpose. */
  readonly wait?: number | undefined;
  readonly key: string;
  readonly kind: LockKind;
  readonly access: Access;
  readonly permits?: number | undefined;
  readonly token?: bigint | undefined;
  /** Whether the token reflects its position in the queue. */
  readonly queued: boolean;
  /** How long before the lease deadline the lock counts as lost, in ms. */
  readonly marginMs?: number | undefined;
  /** Present for a job that runs at most once in a period. */
  readonly run?: Run | undefined;
  /** When its node was created, if that is known. */
  readonly createdAt?: number | undefined;
  readonly enteredAt: number;
  /** The last time at which the lock certainly claimed to be held. */
  readonly heldAt: number;
  /** When the task was about to release the lock. */
  readonly leftAt?: number | undefined;
  /** When the lock claimed not to be held although its signal had not aborted. */
  readonly untoldAt?: number | undefined;
  /** When the work was rejected because of a loss although the signal had not aborted. */
  readonly rejectedAt?: number | undefined;
  readonly told?: { readonly at: number; readonly reason: string } | undefined;
  /** When it was told that an operator asks for the lock. */
  readonly askedBackAt?: number | undefined;
}

/** A request for a lock, and its answer. */
export interface Wait {
  readonly process: string;
  /** Increases with each wait of a process. */
  readonly number: number;
  readonly key: string;
  readonly kind: LockKind;
  readonly patienceMs?: number | undefined;
  readonly askedAt: number;
  readonly answer?:
    | { readonly at: number; readonly outcome: string; readonly message?: string | undefined }
    | undefined;
}

/** A write as the resource saw it. */
export interface Write {
  readonly process: string;
  readonly key: string;
  readonly token: bigint;
  readonly accepted: boolean;
  readonly at: number;
}

/** A refused write, as its writer saw it. */
export interface Refusal {
  readonly grant: Grant;
  /** The state that the lock reported afterwards. */
  readonly isHeld: boolean;
  readonly at: number;
}

/** A time during which the process was stalled. */
export interface Stall {
  readonly process: string;
  readonly from: number;
  readonly at: number;
}

/** A change of the wall clock. */
export interface ClockChange {
  readonly process: string;
  readonly at: number;
  /**
   * How long a lock may be unable to confirm that it is held, if the process is also cut off.
   * @default 2000
   */
  readonly uncertainMs?: number;
}

/** A lock node that an operator deleted. */
export interface Deletion {
  readonly key: string;
  /** Known if the node still existed. */
  readonly node?: LockNode | undefined;
  /** The replica that the node named as its owner; known if the node still existed. */
  readonly replica?: string | undefined;
  /** When the operator sent the request. */
  readonly at: number;
  /** When the operator received the answer. @default at once */
  readonly answeredAt?: number;
  /** Whether the holder may give another reason, because it could not be told. */
  readonly isSilent?: boolean;
}

/** A lock's directory that an operator deleted, with the record of a job's last run. */
export interface Clearing {
  readonly key: string;
  /** When the operator sent the request. */
  readonly at: number;
  readonly answeredAt: number;
}

/** A lock that was broken by `breakLock` and given up by its process. */
export interface Break {
  readonly key: string;
  readonly node: LockNode;
  /** When the breaker was told that the lock is free. */
  readonly answeredAt: number;
}

/** The history of one round. All of its grants have ended. */
export interface History {
  readonly grants: readonly Grant[];
  readonly waits: readonly Wait[];
  readonly writes: readonly Write[];
  readonly refusals: readonly Refusal[];
  readonly stalls: readonly Stall[];
  readonly clockChanges: readonly ClockChange[];
  readonly errors: readonly { readonly process: string; readonly error: string }[];
  readonly deletions: readonly Deletion[];
  readonly clearings: readonly Clearing[];
  readonly breaks: readonly Break[];
  /** When each killed process died. */
  readonly deaths: ReadonlyMap<string, number>;
}

/** A broken promise. */
export interface Violation {
  /** The name of the promise. */
  readonly promise: string;
  readonly message: string;
}
