import { ErrorCode } from 'zk-protocol';

interface Tracked {
  readonly id: bigint;
  /** The server through which the client writes; undefined until the first request. */
  owner: unknown;
  isClosing: boolean;
  /** One timeout after the client was last heard. */
  dueAt: number;
  /** The end of the tick that contains `dueAt`. */
  expiresAt: number;
}

/**
 * The leader's deadlines of sessions. Time is divided into ticks, and a session lives until the end
 * of the tick in which its timeout falls, as in `ExpiryQueue` and `SessionTrackerImpl` of
 * ZooKeeper.
 */
export class SessionTracker {
  readonly #sessions = new Map<bigint, Tracked>();
  readonly #byDeadline = new Map<number, Set<Tracked>>();
  #nextAt: number;

  /** @param now the leader's monotonic clock, in milliseconds */
  constructor(
    private readonly tickTimeMs: number,
    private readonly now: () => number,
  ) {
    this.#nextAt = this.#roundUp(now());
  }

  get waitMs(): number {
    return Math.max(0, this.#nextAt - this.now());
  }

  /**
   * How long the session certainly lives without a message from its client, whenever the tick ends.
   */
  msLeft(id: bigint): number {
    const session = this.#sessions.get(id);
    return session && !session.isClosing ? session.dueAt - this.now() : 0;
  }

  track(id: bigint, timeoutMs: number): void {
    let session = this.#sessions.get(id);
    if (!session) {
      session = { id, owner: undefined, isClosing: false, dueAt: 0, expiresAt: 0 };
      this.#sessions.set(id, session);
    }
    this.#move(session, timeoutMs);
  }

  /** Returns false if the session has expired or is closing. */
  touch(id: bigint, timeoutMs: number): boolean {
    const session = this.#sessions.get(id);
    if (!session || session.isClosing) return false;
    this.#move(session, timeoutMs);
    return true;
  }

  /**
   * Returns the error with which a request of this session from this server is refused, if it is.
   */
  check(id: bigint, owner: unknown): ErrorCode | undefined {
    const session = this.#sessions.get(id);
    if (!session || session.isClosing) return ErrorCode.sessionExpired;
    session.owner ??= owner;
    return session.owner === owner ? undefined : ErrorCode.sessionMoved;
  }

  setOwner(id: bigint, owner: unknown): void {
    const session = this.#sessions.get(id);
    if (session && !session.isClosing) session.owner = owner;
  }

  setClosing(id: bigint): void {
    const session = this.#sessions.get(id);
    if (session) session.isClosing = true;
  }

  remove(id: bigint): void {
    const session = this.#sessions.get(id);
    if (!session) return;
    this.#sessions.delete(id);
    this.#leave(session);
  }

  /** Removes and returns the sessions of the next tick that has ended; undefined if none has. */
  takeTick(): bigint[] | undefined {
    if (this.now() < this.#nextAt) return undefined;
    const overdue = this.#byDeadline.get(this.#nextAt);
    this.#byDeadline.delete(this.#nextAt);
    this.#nextAt += this.tickTimeMs;
    if (!overdue) return [];
    for (const session of overdue) session.isClosing = true;
    return [...overdue].map(({ id }) => id);
  }

  #roundUp(time: number): number {
    return (Math.floor(time / this.tickTimeMs) + 1) * this.tickTimeMs;
  }

  #move(session: Tracked, timeoutMs: number): void {
    session.dueAt = this.now() + timeoutMs;
    const expiresAt = this.#roundUp(session.dueAt);
    if (expiresAt === session.expiresAt) return;
    this.#leave(session);
    session.expiresAt = expiresAt;
    const others = this.#byDeadline.get(expiresAt);
    if (others) others.add(session);
    else this.#byDeadline.set(expiresAt, new Set([session]));
  }

  #leave(session: Tracked): void {
    this.#byDeadline.get(session.expiresAt)?.delete(session);
  }
}
