/**
 * What the board's server and its page say to each other, as JSON. All times are milliseconds since
 * 1970 by the clock of ZooKeeper, as far as the board has seen it; fencing tokens and session ids are
 * texts.
 */
export interface BoardOverview {
  /** Grows with every change that was seen. */
  readonly revision: number;
  /** No earlier than the latest time that ZooKeeper has put on a node. */
  readonly now: number;
  /** Present while there is no connection to ZooKeeper: what is shown is that old. */
  readonly stale?: { readonly since: number; readonly reason: string };
  /**
   * Present while what there is now is being read, and that takes long. With `isFirst` nothing is known
   * yet: that there are no problems and no keys means nothing.
   */
  readonly reading?: { readonly since: number; readonly isFirst: boolean };
  /** Name of the connection; '' for the unnamed one. */
  readonly connection: string;
  readonly root: string;
  /** The process that answers. */
  readonly process: { readonly application?: string; readonly host: string; readonly pid: number };
  /** The application's own session. */
  readonly session: {
    readonly state: string;
    readonly timeoutMs?: number;
    readonly server?: string;
  };
  readonly servers: readonly { readonly address: string; readonly isConnected: boolean }[];
  readonly totals: { readonly keys: number; readonly held: number; readonly waiting: number };
  /** The worst first; at most 50. */
  readonly problems: readonly BoardProblem[];
  /** From when on a wait or a hold is a problem, in milliseconds. */
  readonly limits: { readonly longWaitMs: number; readonly longHoldMs: number };
  /** What this user may do; the page shows nothing else. */
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
  /** Of a deadlock: all keys that its calls hold and wait for. */
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
  /** Since when the first holder's node exists; absent where that serves several calls. */
  readonly since?: number;
  readonly isKept?: boolean;
  readonly state?: BoardKeyState;
  /** Of a semaphore, where the number is known. */
  readonly permits?: number;
}

/** Why a key without holders may not be free: its directory has nodes for which calls are refused, or is not seen. */
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
  /** 200 at most. */
  readonly rows: readonly BoardKeyRow[];
}

/** `GET groups?filter=&busy=1&offset=0`: keys that begin alike, up to the first `:` or `/`. */
export interface BoardGroups {
  readonly revision: number;
  /** Present while nothing is known yet. */
  readonly isReading?: true;
  readonly total: number;
  readonly offset: number;
  /** 200 at most, those with the most keys first. */
  readonly rows: readonly BoardGroup[];
}

export interface BoardGroup {
  /** `order:`, or a whole key. */
  readonly prefix: string;
  readonly keys: number;
  /** The key, where there is one. */
  readonly only?: string;
  /** How many of them are held or waited for. */
  readonly busy: number;
  /** How many calls wait for them. */
  readonly waiting: number;
  /** Since when the call waits that has waited for the longest. */
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
  /** When its node was created; absent of a holder whose node serves several calls. */
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
  /** The keys that it holds meanwhile. */
  readonly holds?: readonly string[];
}

/** What has happened to a key, as far as the board's connection has seen it. Nothing is stored. */
export interface BoardHistory {
  /** Since when all events are there that the board has seen: 200 of a key are kept, and 5,000 in all. */
  readonly since: number;
  /** When it did not look in between. */
  readonly gaps: readonly { readonly from: number; readonly until?: number }[];
  /** Whether nodes serve several calls: hand-overs in memory are not seen. */
  readonly hasCohorts: boolean;
  /** Whom `who` means, by its index. */
  readonly who: readonly BoardWho[];
  /** The oldest first. */
  readonly events: readonly BoardEvent[];
  readonly holds: readonly BoardHold[];
}

export interface BoardWho extends Pick<
  BoardContender,
  'application' | 'host' | 'pid' | 'label' | 'isForeign' | 'isShared'
> {
  readonly mode?: 'read';
}

/** `gone`: released, or its session ended, and which of them is not known. */
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
  /** Absent where it began before the board looked. */
  readonly from?: number;
  /** Absent while it lasts. */
  readonly until?: number;
  readonly end?: BoardEvent['event'];
}

/** `GET key?key=…&offset=0`: waiters from `offset` on, 200 at most; none at a key that is not in use. */
export interface BoardKey {
  readonly revision: number;
  /** Present while nothing is known yet. */
  readonly isReading?: true;
  /** No node and no directory stands for it. */
  readonly isUnknown?: true;
  readonly state?: BoardKeyState;
  readonly history?: BoardHistory;
  readonly key: string;
  readonly kind: BoardKind;
  readonly path: string;
  readonly holders: readonly BoardContender[];
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
    /** How many calls of this application came to what; absent where it does not call the job. */
    readonly results?: Readonly<Record<'ran' | 'not_due' | 'busy' | 'failed' | 'lost', number>>;
  };
}
