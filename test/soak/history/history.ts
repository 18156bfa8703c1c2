import type { Access, LockKind } from '../../workers/soak/protocol.js';

/** A time in which a task had something, as it saw it. All times are of the machine's clock, in ms. */
export interface Grant {
  /** Unique over all processes, such as `b.2#17`. */
  readonly id: string;
  readonly process: string;
  /** Grants of one holding don't exclude each other. */
  readonly holding: string;
  /** The number of the wait that it came of; absent where that was for something else besides. */
  readonly wait?: number | undefined;
  readonly key: string;
  readonly kind: LockKind;
  readonly access: Access;
  readonly permits?: number | undefined;
  readonly token?: bigint | undefined;
  /** Whether its place in the queue is where its token says. */
  readonly queued: boolean;
  readonly enteredAt: number;
  /** The last moment for which it is certain that the lock said it was held. */
  readonly heldAt: number;
  /** When the lock said that it is not held any more, and its signal had not aborted. */
  readonly untoldAt?: number | undefined;
  /** When its work was rejected as that of a lost lock, and its signal had not aborted. */
  readonly rejectedAt?: number | undefined;
  readonly told?: { readonly at: number; readonly reason: string } | undefined;
}

/** A question for a lock, and its answer. */
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
  /** What the lock said about itself afterwards. */
  readonly isHeld: boolean;
  readonly at: number;
}

/** A time in which a process could neither do nor be told anything. */
export interface Stall {
  readonly process: string;
  readonly from: number;
  readonly at: number;
}

/** A wall clock that was set forward. */
export interface ClockChange {
  readonly process: string;
  readonly at: number;
}

/** A lock node that an operator deleted. */
export interface Deletion {
  readonly key: string;
  /** Where it was still there. */
  readonly czxid?: bigint | undefined;
  /** Whose it was, as it said; where it was still there. */
  readonly replica?: string | undefined;
  /** When the operator began. */
  readonly at: number;
  /** When the operator had the answer. @default at once */
  readonly answeredAt?: number;
}

/** A lock that was broken by `breakLock`, and that its process gave up. */
export interface Break {
  readonly key: string;
  readonly czxid: bigint;
  /** When the breaker heard that it is free. */
  readonly answeredAt: number;
}

/** An error that calls may end in for a time, as the documentation says of what was done to the servers. */
export interface ExpectedError {
  readonly code: string;
  /** @default all keys */
  readonly key?: string | undefined;
  readonly from: number;
  readonly until: number;
}

/** What one round of a run left behind. All its grants are over. */
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
  readonly breaks: readonly Break[];
  readonly expectedErrors: readonly ExpectedError[];
  /** When processes were killed. */
  readonly deaths: ReadonlyMap<string, number>;
}

/** Something that must never happen. */
export interface Violation {
  /** The promise that was broken. */
  readonly promise: string;
  readonly message: string;
  readonly kinds: readonly LockKind[];
}
