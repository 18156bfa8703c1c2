import type { Database } from '../../../../libs/zk-embedded/src/database.js';
import type { Entry, Request } from '../log/entry.js';

/** From a follower or observer to its leader, or to the follower in the leader's place. */
export type FromLearner =
  | {
      readonly kind: 'introduction';
      readonly id: number;
      readonly isObserver: boolean;
      readonly acceptedEpoch: number;
    }
  | {
      readonly kind: 'history';
      /** -1 if the server had already accepted this epoch: its promise does not count again. */
      readonly currentEpoch: number;
      readonly lastZxid: number;
      /** Whether the log can be truncated to an entry. */
      readonly canTruncateTo: (zxid: number) => boolean;
    }
  | { readonly kind: 'ack'; readonly zxid: number }
  /**
   * The answer to a ping: the sessions that were heard since the previous one, and their timeouts.
   */
  | { readonly kind: 'touched'; readonly sessions: ReadonlyMap<bigint, number> }
  | { readonly kind: 'request'; readonly request: Request }
  | { readonly kind: 'sync' }
  | { readonly kind: 'revalidate'; readonly sessionId: bigint; readonly timeoutMs: number };

/** From the leader, or the follower in its place, to a learner. */
export type ToLearner =
  | { readonly kind: 'epoch'; readonly epoch: number }
  | { readonly kind: 'difference' }
  | { readonly kind: 'truncate'; readonly zxid: number }
  /** For a learner that lags too far behind, or whose log has diverged. */
  | { readonly kind: 'snapshot'; readonly database: Database }
  | { readonly kind: 'propose'; readonly entry: Entry }
  | { readonly kind: 'commit'; readonly zxid: number }
  /** Sends a committed proposal to an observer. */
  | { readonly kind: 'inform'; readonly entry: Entry }
  | { readonly kind: 'newLeader'; readonly epoch: number }
  | { readonly kind: 'upToDate' }
  | { readonly kind: 'ping' }
  | { readonly kind: 'synced' }
  | { readonly kind: 'revalidated'; readonly sessionId: bigint; readonly isValid: boolean };

export type Message = FromLearner | ToLearner;
