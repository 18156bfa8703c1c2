import type { Identity } from '../port/identity.js';

/**
 * Why a session was lost: the server ended it (`session-expired`), it could not be proved alive in
 * time (`lease-expired`), or a server granted it a timeout too short for the servers' tick or for
 * the module's `marginMs` (`session-too-short`).
 */
export type SessionLossReason = 'lease-expired' | 'session-expired' | 'session-too-short';

/** A loss for people, who may not know the names of the reasons, as the end of a sentence. */
export const SESSION_LOSS: Readonly<Record<SessionLossReason, string>> = {
  'lease-expired': 'ZooKeeper did not confirm it in time',
  'session-expired': 'ZooKeeper has ended it',
  'session-too-short': 'a server has granted it too short a timeout',
};

/** ZooKeeper refuses this client what locks need. */
export interface AccessRefusal extends Identity {
  /** The path of the refused node, with the chroot. */
  readonly path: string;
  readonly since: Date;
  /**
   * `ZK_LOCAL_SESSION` or `ZK_QUOTA_EXCEEDED` if new lock nodes are refused to all clients; undefined
   * if an ACL refuses this client.
   */
  readonly code?: string;
}

/**
 * The state of a session. `sessionId` is in hex, without `0x`. Any client that knows it and can
 * reach ZooKeeper can end the session: keep it out of logs and of responses to callers.
 *
 * `suspended`: not connected, but the session may still be alive. `lost`: the session is over, or
 * could not be proved alive in time; the next one is being opened.
 */
export type SessionState =
  | { readonly name: 'connecting' }
  | { readonly name: 'connected'; readonly sessionId: string; readonly timeoutMs: number }
  | { readonly name: 'suspended'; readonly sessionId: string; readonly since: Date }
  | { readonly name: 'lost'; readonly sessionId: string; readonly reason: SessionLossReason }
  | { readonly name: 'closed' };

/** The session at one moment, for health checks and logs. Its only secret is the session's id. */
export interface SessionSnapshot {
  readonly state: SessionState;
  /** The list of `host:port` and the chroot, as configured. */
  readonly servers: string;
  /** The server of the current or the last connection, as `ip:port`. */
  readonly connectedTo?: string;
  /** The same server as `servers` names it, as `host:port`. */
  readonly configuredServer?: string;
  /** How long the last heartbeat took, through the leader, in milliseconds. */
  readonly lastRoundTripMs?: number;
  /** Why there is no connection, where that is known. Absent while connected. */
  readonly problem?: string;
  /**
   * What ZooKeeper refuses, and to whom: found by reading the root when connecting, or by a call for
   * a lock. Absent once a call succeeds, a hidden root becomes readable, or there is room for new
   * nodes again.
   */
  readonly refusal?: AccessRefusal;
}

/** The ZooKeeper session behind the locks. */
export interface LockSession {
  /** The session at this moment. */
  readonly snapshot: SessionSnapshot;
  /**
   * Calls `onState` immediately with the session's state, and at every change until the locks are
   * closed. After that, it calls only `onClosed`.
   *
   * @param onClosed called after the last state
   * @returns a function that stops the calls
   */
  onState(onState: (state: SessionState) => void, onClosed?: () => void): () => void;
}
