import type { ErrorCode } from 'zk-protocol';
import type { Request } from '../log/entry.js';
import type { Replica } from '../log/replica.js';

/** What a server does for its clients while it has a leader, or is it. */
export interface Service {
  readonly name: 'standalone' | 'leader' | 'follower' | 'observer';
  readonly replica: Replica;
  /** A client was heard. False where the server knows that its session is over. */
  touch(sessionId: bigint, timeoutMs: number): boolean;
  /** Why a read of this session is refused. */
  check(sessionId: bigint): ErrorCode | undefined;
  /** Brings a request into the log. Its asker hears when it is applied here. */
  submit(request: Request): void;
  /** Calls back once all is applied here that the leader had committed. */
  sync(done: () => void): void;
  /** Asks whether a session lives; it then belongs to this server. */
  revalidate(sessionId: bigint, timeoutMs: number, done: (isValid: boolean) => void): void;
}
