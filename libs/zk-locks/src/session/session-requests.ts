import { setTimeout as sleep } from 'node:timers/promises';
import { hasReturnCode, ReturnCode, ZooKeeperError } from '../client/client-errors.js';
import type { ZooKeeperClient } from '../client/zookeeper-client.js';
import { backoffDelay } from './backoff.js';
import type { Clock } from './clock.js';
import type { SessionLease } from './session-lease.js';

/** Short beside the period of a heartbeat, which may be throttled as well. */
const THROTTLED_RETRY = { baseMs: 20, capMs: 250 };

type Send<T> = (client: ZooKeeperClient) => Promise<T>;

const ALWAYS = (): boolean => true;
const NEVER = (): boolean => false;

/** Sends the requests of a session, and counts their answers for its lease. */
export class SessionRequests {
  /** @param connectedClient the client of the session of a lease, while that is connected */
  constructor(
    private readonly clock: Clock,
    private readonly connectedClient: (lease: SessionLease) => ZooKeeperClient | undefined,
  ) {}

  /** A write is committed by the leader, so that its answer proves that the session lives. */
  write<T>(lease: SessionLease, request: string, path: string, send: Send<T>): Promise<T> {
    return this.send(lease, request, path, ALWAYS, send);
  }

  /** A follower answers reads by itself, so that they prove nothing. */
  read<T>(lease: SessionLease, request: string, path: string, send: Send<T>): Promise<T> {
    return this.send(lease, request, path, NEVER, send);
  }

  /**
   * Rejects at once when the session of `lease` is not the connected one.
   *
   * @param request names it in errors, together with `path`
   * @param isProof whether an answer to what is sent now proves that the session lives
   */
  send<T>(
    lease: SessionLease,
    request: string,
    path: string,
    isProof: () => boolean,
    send: Send<T>,
    attempt = 0,
  ): Promise<T> {
    const client = this.clientOf(lease, request, path);
    if (client instanceof ZooKeeperError) return Promise.reject(client);
    const sentAt = this.clock.now();
    const sent = { isProof: isProof() };
    return send(client).then(
      (answer) => {
        if (client === this.connectedClient(lease)) lease.answered(sentAt, sent);
        return answer;
      },
      async (error: unknown) => {
        if (!hasReturnCode(error, ReturnCode.throttled)) throw error;
        // A busy server has done nothing: it can be asked again, whatever the request is.
        await sleep(backoffDelay(attempt, THROTTLED_RETRY));
        return this.send(lease, request, path, isProof, send, attempt + 1);
      },
    );
  }

  /** The client of the session of `lease`, or the error while it is not connected. */
  clientOf(lease: SessionLease, request: string, path: string): ZooKeeperClient | ZooKeeperError {
    if (lease.lossReason) return new ZooKeeperError(ReturnCode.sessionExpired, request, path);
    const client = this.connectedClient(lease);
    return client ?? new ZooKeeperError(ReturnCode.invalidState, request, path);
  }
}
