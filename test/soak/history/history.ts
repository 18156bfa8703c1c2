import type { Access, LockKind, Run } from '../../workers/soak/protocol.js';
import type { LockNode } from './lock-node.js';

/** A holding, as its task saw it. All times are of the machine's clock, in ms. */
export interface Grant {
  /** Unique over all processes, such as `b.2#17`. */
  readonly id: string;
  readonly process: string;
  /** Grants of one holding don't exclude each other. */
  readonly holding: string;
  /** The number of the wait that led to it; absent for a wait with another purpose. */
  readonly wait?: number | undefined;
  readonly key: string;
  readonly kind: LockKind;
  readonly access: Access;
  readonly permits?: number | undefined;
  readonly token?: bigint | undefined;
  /** Whether its place in the queue is where its token says. */
  readonly queued: boolean;
  /** How long before its deadline it counts as lost, in ms. */
  readonly marginMs?: number | undefined;
  /** Of a job that runs at most once in a time. */
  readonly run?: Run | undefined;
  /** When its node was created, where that is known. */
  readonly createdAt?: number | undefined;
  readonly enteredAt: number;
  /** The last moment at which the lock certainly said that it is held. */
  readonly heldAt: number;
  /** When it was about to release the lock. */
  readonly leftAt?: number | undefined;
  /** When the lock said that it is not held, although its signal had not aborted. */
  readonly untoldAt?: number | undefined;
  /** When its work was rejected as that of a lost lock, although its signal had not aborted. */
  readonly rejectedAt?: number | undefined;
  readonly told?: { readonly at: number; readonly reason: string } | undefined;
  /** When it was told that an operator asks for it. */
  readonly askedBackAt?: number | undefined;
}

/** A request for a lock, and its answer. */
export interface Wait {
  readonly process: string;
  /** Rises from one question of a process to the next. */
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

/** A refused write as its writer saw it. */
export interface Refusal {
  readonly grant: Grant;
  /** The state of the lock afterwards, as it said. */
  readonly isHeld: boolean;
  readonly at: number;
}

/** A time in which the process stood still. */
export interface Stall {
  readonly process: string;
  readonly from: number;
  readonly at: number;
}

/** A wall clock that was set forward. */
export interface ClockChange {
  readonly process: string;
  readonly at: number;
  /** How long a lock may be unable to say that it is held, if its process is cut off as well. @default 2000 */
  readonly uncertainMs?: number;
}

/** A lock node that an operator deleted. */
export interface Deletion {
  readonly key: string;
  /** Where it was still there. */
  readonly node?: LockNode | undefined;
  /** Whose it was, as it said; where it was still there. */
  readonly replica?: string | undefined;
  /** When the operator began. */
  readonly at: number;
  /** When the operator had the answer. @default at once */
  readonly answeredAt?: number;
  /** The operator ended its session, or its process could not hear: the holder may give another reason. */
  readonly isSilent?: boolean;
}

/** The directory of a lock that an operator deleted, with what it said of the last run of a job. */
export interface Clearing {
  readonly key: string;
  /** When the operator began. */
  readonly at: number;
  readonly answeredAt: number;
}

/** A lock that was broken by `breakLock` and given up by its process. */
export interface Break {
  readonly key: string;
  readonly node: LockNode;
  /** When the breaker was told that it is free. */
  readonly answeredAt: number;
}

/** The history of one round of a run. All its grants are over. */
export interface History {
  readonly grants: readonly Grant[];
  readonly waits: readonly Wait[];
  readonly writes: readonly Write[];
  readonly refusals: readonly Refusal[];
  readonly stalls: readonly Stall[];
  readonly clockChanges: readonly ClockChange[];
  readonly errors: readonly { readonly process: string; readonly error: string }[];
  /** Lock nodes that an operator deleted. */
  readonly deletions: readonly Deletion[];
  readonly clearings: readonly Clearing[];
  readonly breaks: readonly Break[];
  /** When processes were killed. */
  readonly deaths: ReadonlyMap<string, number>;
}

/** A broken promise. */
export interface Violation {
  /** The name of the promise. */
  readonly promise: string;
  readonly message: string;
}
