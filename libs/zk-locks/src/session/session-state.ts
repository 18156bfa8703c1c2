/**
 * Why a session came to its end: the server said so, it could no longer be proved alive, or a server
 * granted it a timeout too short for the servers' tick, or for the module's `marginMs`.
 */
export type SessionLossReason = 'lease-expired' | 'session-expired' | 'session-too-short';

/**
 * Where a session stands. Each state carries only its own data. `sessionId` is in hex, without `0x`.
 * A client that knows it and reaches ZooKeeper can end the session: keep it out of logs and of answers
 * to callers.
 *
 * `suspended` means not connected while the session may still live; `lost` means it is over, or can
 * no longer be proved alive, and a new one is being made.
 */
export type SessionState =
  | { readonly name: 'connecting' }
  | { readonly name: 'connected'; readonly sessionId: string; readonly timeoutMs: number }
  | { readonly name: 'suspended'; readonly sessionId: string; readonly since: Date }
  | { readonly name: 'lost'; readonly sessionId: string; readonly reason: SessionLossReason }
  | { readonly name: 'closed' };

/** A picture of the session for health checks and logs; holds no credentials but the session's id. */
export interface SessionSnapshot {
  readonly state: SessionState;
  /** `host:port` list and chroot, as configured. */
  readonly servers: string;
  /** The server this session is or was last connected to, as `ip:port`. */
  readonly connectedTo?: string;
  /** Milliseconds of the last heartbeat's round trip through the leader, if there was one. */
  readonly lastRoundTripMs?: number;
}

/** A view of the ZooKeeper session behind the locks. */
export interface LockSession {
  /** A picture for logs and health checks, without credentials. */
  readonly snapshot: SessionSnapshot;
  /**
   * Hears the session's state now, and every change of it until the session is closed.
   *
   * @param onClosed called after the last state
   * @returns what stops it
   */
  onState(onState: (state: SessionState) => void, onClosed?: () => void): () => void;
}
