import type { Id } from 'zk-protocol';
import type { Database } from '../database.js';
import type { Session } from '../sessions/session-table.js';
import type { Watcher, Watches } from '../watches/watches.js';

/** The caller: a session on one connection. Watches and identities belong to it. */
export interface Caller {
  readonly session: Session;
  readonly watcher: Watcher;
  /** Grows with each `auth` request. */
  readonly identities: Id[];
  readonly address: string;
}

/** All that a request may read and change. */
export interface RequestContext {
  readonly database: Database;
  readonly watches: Watches;
  readonly caller: Caller;
}
