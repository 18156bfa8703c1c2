import type { Session } from '../sessions/session-table.js';
import type { Watcher } from '../watches/watches.js';
import type { Traffic } from './traffic.js';

/** A client's connection, as the server with its many connections sees it. */
export interface ClientConnection extends Watcher {
  readonly session: Session | undefined;
  readonly remoteAddress: string;
  readonly remotePort: number;
  /** In milliseconds since 1970. */
  readonly establishedAt: number;
  readonly traffic: Traffic;
  /** Neither reads nor writes until {@link resume}. */
  pause(): void;
  resume(): void;
  /** Ends it at once and discards what is unsent. The session lives on. */
  destroy(): void;
}
