/** What users of `ZkClient` ask for, as the check counts it. */
export type UserCall =
  'add' | 'add to both' | 'create' | 'delete' | 'sit' | 'rise' | 'mark' | 'read';

/** `maybe`: its error says that it may or may not have been done. */
export type UserOutcome = 'done' | 'refused' | 'maybe';

/** A call of a user. All times are those of the world, in milliseconds. */
export interface Attempt {
  readonly process: string;
  readonly call: UserCall;
  readonly path: string;
  readonly timeoutMs: number;
  readonly askedAt: number;
  answeredAt?: number;
  /** Undefined while there is no answer: it may be done. */
  outcome?: UserOutcome;
  /** Whether the connection changed meanwhile, so that it may have been sent twice. */
  wasCut?: boolean;
  /** Of the znode, after it was done. */
  version?: number;
}

/** What a user believes of znodes that it watches. */
export interface Watched {
  readonly process: string;
  readonly path: string;
  readonly isRecursive: boolean;
  /** By path: the data of a znode, or the names of its children. */
  readonly seen: Map<string, string | undefined>;
  /** Whether it was stopped. */
  isOver: boolean;
}

/** Where users write down what they do. It outlives their processes. */
export class Ledger {
  readonly attempts: Attempt[] = [];
  readonly watches: Watched[] = [];
  /** Answers that contradict a promise by themselves. */
  readonly contradictions: string[] = [];

  /** @param onAnswer is told of each call that was answered */
  constructor(readonly onAnswer: (attempt: Attempt) => void) {}
}
