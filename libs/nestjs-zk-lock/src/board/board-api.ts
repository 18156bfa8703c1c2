/**
 * The JSON that the board's server sends to its page. All times are milliseconds since 1970 by the
 * clock of ZooKeeper, as the board estimates it. Fencing tokens and session ids are strings.
 */
export interface BoardOverview {
  /** Rises with every change that was seen. */
  readonly revision: number;
  /** The current time; never earlier than the creation of a node that was seen. */
  readonly now: number;
  /**
   * Present while the locks cannot be read: the data are from `since`. With `isConnected`, ZooKeeper
   * answers, but does not show them, for example because an ACL hides the root.
   */
  readonly stale?: {
    readonly since: number;
    readonly reason: string;
    readonly isConnected: boolean;
  };
  /**
   * Present while reading the current state takes long. With `isFirst`, nothing has been read yet, so an
   * empty list of problems or keys means nothing.
   */
  readonly reading?: { readonly since: number; readonly isFirst: boolean };
  /** Name of the connection; '' for the unnamed one. */
  readonly connection: string;
  readonly root: string;
  /** The process that sends this. */
  readonly process: { readonly application?: string; readonly host: string; readonly pid: number };
  /** The application's own session. */
  readonly session: {
    readonly state: string;
    readonly timeoutMs?: number;
  };
  readonly servers: readonly { readonly address: string; readonly isConnected: boolean }[];
  readonly totals: { readonly keys: number; readonly held: number; readonly waiting: number };
  /** The worst first; at most 50. */
  readonly problems: readonly BoardProblem[];
  /** The number of problems, including those that are not listed. */
  readonly totalProblems: number;
  /** How long a wait or a hold may take before it is a problem, in milliseconds. */
  readonly limits: { readonly longWaitMs: number; readonly longHoldMs: number };
  /** The actions that this user may take; the page shows buttons only for these. */
  readonly may: Readonly<Record<BoardAction, boolean>>;
  /** Decorated methods of this application. */
  readonly methods: readonly BoardMethod[];
}

export type BoardAction = 'revoke' | 'break' | 'setPermits' | 'resign';

export interface BoardProblem {
  /** The kinds of `zk-locks/inspect`. */
  readonly kind:
    | 'deadlock'
    | 'deadlocks-cut'
    | 'counter-end'
    | 'ownerless'
    | 'keys-cut'
    | 'strangers'
    | 'mixed-dialects'
    | 'other-dialect'
    | 'unread'
    | 'hidden'
    | 'long-hold'
    | 'long-wait';
  readonly severity: 'serious' | 'warning';
  readonly key?: string;
  /** For a deadlock: all keys that its calls hold and wait for. */
  readonly keys?: readonly string[];
  /** What is wrong, without the key. `{age}` in it stands for the time since `since`. */
  readonly text: string;
  readonly since?: number;
  /** What to do. */
  readonly remedy: string;
}

export interface BoardMethod {
  /** `OrdersService.ship()` */
  readonly name: string;
  /** `@Locked` */
  readonly decorator: string;
  /** `order:{id}` */
  readonly pattern: string;
  readonly options: readonly (readonly [name: string, value: string])[];
  readonly counts: {
    readonly calls: number;
    readonly running: number;
    readonly waiting: number;
    readonly ran: number;
    readonly skipped: number;
    readonly failed: number;
    readonly lost: number;
  };
  /** How many calls failed, by reason: `timeout`, `unavailable`, …, and `own error` of the method. */
  readonly failures: Readonly<Record<string, number>>;
}

export type BoardKind = 'lock' | 'semaphore' | 'election' | 'single-node';

export interface BoardKeyRow {
  readonly key: string;
  readonly kind: BoardKind;
  readonly mode?: 'read' | 'write';
  /** The first one that holds it. */
  readonly holder?: BoardContender;
  readonly holders: number;
  readonly waiting: number;
  /** When the first holder's node was created; absent if the node serves several calls. */
  readonly since?: number;
  readonly isKept?: boolean;
  readonly state?: BoardKeyState;
  /** For a semaphore: the number of permits, if it is known. */
  readonly permits?: number;
}

/** Why a key without visible holders may not be free: foreign nodes block it, or its nodes are not seen. */
export type BoardKeyState = 'refused' | 'hidden' | 'unread';

export type BoardSort = 'key' | 'kind' | 'holder' | 'since' | 'waiting';

/**
 * `GET keys?filter=&sort=since&order=asc|desc&busy=1&prefix=&offset=0`: `filter` is a case-insensitive
 * part of key, application, host or label; `prefix` is what keys begin with.
 */
export interface BoardKeys {
  readonly revision: number;
  /** Present while nothing is known yet. */
  readonly isReading?: true;
  readonly total: number;
  readonly offset: number;
  /** 100 at most. */
  readonly rows: readonly BoardKeyRow[];
}

/** `GET groups?filter=&busy=1&offset=0`: keys that begin alike, up to the first `:` or `/`. */
export interface BoardGroups {
  readonly revision: number;
  /** Present while nothing is known yet. */
  readonly isReading?: true;
  readonly total: number;
  readonly offset: number;
  /** 100 at most, those with the most keys first. */
  readonly rows: readonly BoardGroup[];
}

export interface BoardGroup {
  /** `order:`, or a whole key. */
  readonly prefix: string;
  readonly keys: number;
  /** The key, if the group has only one. */
  readonly only?: string;
  /** How many of them are held or waited for. */
  readonly busy: number;
  /** How many calls wait for them. */
  readonly waiting: number;
  /** When the longest wait began. */
  readonly waitingSince?: number;
}

export interface BoardContender {
  readonly node: string;
  readonly mode?: 'read' | 'write';
  readonly application?: string;
  readonly host?: string;
  readonly pid?: number;
  readonly label?: string;
  /** Without holder data of ours: Curator's, kazoo's, or made by hand. */
  readonly isForeign: boolean;
  readonly isEphemeral: boolean;
  /** Whether its node serves several calls of its process, one after another. */
  readonly isShared?: boolean;
  /** When its node was created; absent for a holder whose node serves several calls. */
  readonly since?: number;
  /** `0x…` */
  readonly session?: string;
  readonly token?: string;
  readonly permits?: number;
  readonly revokedAt?: number;
  /** The command that breaks its lock, without `--yes`. */
  readonly command?: string;
  /** When it got the lock, as far as the board has seen it. */
  readonly heldSince?: number;
  /** The keys of the locks around its call. */
  readonly holds?: readonly string[];
}

/** The events of a key that the board's connection has seen. Nothing is stored. */
export interface BoardHistory {
  /** All events seen since then are kept: up to 200 of a key, and 5,000 in total. */
  readonly since: number;
  /** The periods in which the board did not watch. */
  readonly gaps: readonly { readonly from: number; readonly until?: number }[];
  /** Whether nodes serve several calls: hand-overs in memory are not seen. */
  readonly hasCohorts: boolean;
  /** The contenders to whose index `who` refers. */
  readonly who: readonly BoardWho[];
  /** The oldest first. */
  readonly events: readonly BoardEvent[];
  /** All holds that have ended, and the current ones of the listed holders. */
  readonly holds: readonly BoardHold[];
}

export interface BoardWho extends Pick<
  BoardContender,
  'application' | 'host' | 'pid' | 'label' | 'isForeign' | 'isShared'
> {
  readonly mode?: 'read';
}

/** `gone`: it was released, or its session ended; it is not known which. */
export interface BoardEvent {
  readonly at: number;
  readonly event:
    'asked' | 'granted' | 'released' | 'gave-up' | 'session-ended' | 'gone' | 'broken' | 'revoked';
  readonly who: number;
  /** The end of a sentence about `who`. */
  readonly text: string;
  /** How long it had waited, or held the key. */
  readonly ms?: number;
  /** How many wait after it. */
  readonly waiting: number;
}

export interface BoardHold {
  readonly who: number;
  /** Absent if the hold began before the board watched. */
  readonly from?: number;
  /** Absent while the hold lasts. */
  readonly until?: number;
  readonly end?: BoardEvent['event'];
}

/** `GET key?key=…&offset=0`: waiters from `offset` on, 100 at most; none at a key that is not in use. */
export interface BoardKey {
  readonly revision: number;
  /** Present while nothing is known yet. */
  readonly isReading?: true;
  /** Present if the key has no node and no directory. */
  readonly isUnknown?: true;
  readonly state?: BoardKeyState;
  readonly history?: BoardHistory;
  readonly key: string;
  readonly kind: BoardKind;
  readonly path: string;
  /** 100 at most. */
  readonly holders: readonly BoardContender[];
  readonly totalHolders: number;
  readonly waiters: readonly BoardContender[];
  readonly totalWaiting: number;
  readonly cohort?: {
    readonly members: readonly {
      readonly mode: string;
      readonly label?: string;
      readonly token: string;
      readonly since: number;
    }[];
    readonly waiting: number;
  };
  readonly kept?: boolean;
  readonly permits?: {
    readonly total?: number;
    readonly taken: number;
    readonly sharedCount?: string;
  };
  readonly election?: {
    readonly isCandidate: boolean;
    readonly isLeader: boolean;
    readonly term?: string;
  };
  readonly lastSequence?: number;
  /** The worst first; at most 50. */
  readonly problems: readonly BoardProblem[];
  readonly lastRun?: {
    readonly by: string;
    readonly since: number;
    readonly until?: number;
    readonly outcome: string;
    readonly everyMs: number;
    readonly nextDue: number;
    /** The number of calls of this application by result; absent if it does not call the job. */
    readonly results?: Readonly<Record<'ran' | 'not_due' | 'busy' | 'failed' | 'lost', number>>;
  };
}
