/** The kinds of calls of `ZkClient` users. */
export type UserCall =
  'add' | 'add to both' | 'create' | 'delete' | 'sit' | 'rise' | 'mark' | 'read';

/** `maybe`: according to its error, the call may or may not have been executed. */
export type UserOutcome = 'done' | 'refused' | 'maybe';

/** A user's call. Times are in milliseconds of the simulated world. */
export interface Attempt {
  readonly process: string;
  readonly call: UserCall;
  readonly path: string;
  readonly timeoutMs: number;
  readonly askedAt: number;
  answeredAt?: number;
  /** Undefined until there is an answer. The call may have been executed. */
  outcome?: UserOutcome;
  /** Whether the session's state changed during the call, so that it may be sent twice. */
  wasCut?: boolean;
  /** The version of the znode after the call. */
  version?: number;
}

/** A user's view of the znodes that it watches. */
export interface Watched {
  readonly process: string;
  readonly path: string;
  readonly isRecursive: boolean;
  /** The data of a znode, or the names of its children, by path. */
  readonly seen: Map<string, string | undefined>;
  /** Whether the watch was stopped. */
  isOver: boolean;
}

/** Records the calls of users. It outlives their processes. */
export class Ledger {
  readonly attempts: Attempt[] = [];
  readonly watches: Watched[] = [];
  /** Answers that by themselves contradict a promise. */
  readonly contradictions: string[] = [];

  /** @param onAnswer is called after each call */
  constructor(readonly onAnswer: (attempt: Attempt) => void) {}
}
