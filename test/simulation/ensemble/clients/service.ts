import type { ErrorCode } from 'zk-protocol';
import type { Request } from '../log/entry.js';
import type { Replica } from '../log/replica.js';

/** What a server does for its clients while it leads or has a leader. */
export interface Service {
  readonly name: 'standalone' | 'leader' | 'follower' | 'observer';
  readonly replica: Replica;
  /** Records a message of a client. Returns false if its session is known to have expired. */
  touch(sessionId: bigint, timeoutMs: number): boolean;
  /** Returns the error with which reads of this session are refused, if they are. */
  check(sessionId: bigint): ErrorCode | undefined;
  /** Appends a request to the log. Its asker is notified when it is applied on this server. */
  submit(request: Request): void;
  /** Calls back after this server has applied everything that the leader had committed. */
  sync(done: () => void): void;
  /** Asks the leader whether a session is alive. If so, the session moves to this server. */
  revalidate(sessionId: bigint, timeoutMs: number, done: (isValid: boolean) => void): void;
}
