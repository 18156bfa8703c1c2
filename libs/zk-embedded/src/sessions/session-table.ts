import { randomBytes, timingSafeEqual } from 'node:crypto';

export interface Session {
  readonly id: bigint;
  readonly password: Buffer;
  /** The timeout of its creation. It counts again after a restart of the server. */
  readonly createdTimeoutMs: number;
  /** The granted timeout of its latest connection. */
  timeoutMs: number;
  /** On the monotonic clock, in milliseconds. */
  expiresAt: number;
}

/**
 * The live sessions and their deadlines. As in ZooKeeper, time is cut into ticks, and a session
 * lives to the end of the tick in which its timeout falls.
 */
export class SessionTable {
  readonly #sessions = new Map<bigint, Session>();
  #nextId: bigint;

  constructor(
    private readonly tickTimeMs: number,
    wallClockMs = Date.now(),
  ) {
    // 40 bits of the time and 16 bits of a counter, so that servers give different ids unless they
    // start in the same millisecond.
    this.#nextId = BigInt.asUintN(40, BigInt(wallClockMs)) << 16n;
  }

  get size(): number {
    return this.#sessions.size;
  }

  open(timeoutMs: number, now: number): Session {
    const id = this.#nextId++;
    const times = { createdTimeoutMs: timeoutMs, timeoutMs, expiresAt: 0 };
    const session = { id, password: randomBytes(16), ...times };
    this.#sessions.set(id, session);
    this.touch(session, now);
    return session;
  }

  /** Adds a session that was opened elsewhere. */
  add(session: Session): void {
    this.#sessions.set(session.id, session);
  }

  /** The same sessions; changes of one table do not reach the other. */
  copy(): SessionTable {
    const copy = new SessionTable(this.tickTimeMs, 0);
    copy.#nextId = this.#nextId;
    for (const session of this.#sessions.values()) copy.add({ ...session });
    return copy;
  }

  find(id: bigint): Session | undefined {
    return this.#sessions.get(id);
  }

  /** The session with this id and password. */
  claim(id: bigint, password: Buffer | null): Session | undefined {
    const session = this.#sessions.get(id);
    if (session === undefined || password?.length !== session.password.length) return undefined;
    return timingSafeEqual(password, session.password) ? session : undefined;
  }

  touch(session: Session, now: number, timeoutMs = session.timeoutMs): void {
    const tick = this.tickTimeMs;
    session.expiresAt = (Math.floor((now + timeoutMs) / tick) + 1) * tick;
  }

  /** Gives every session the whole timeout of its creation, as a restarted server does. */
  touchAll(now: number): void {
    for (const session of this.#sessions.values()) {
      this.touch(session, now, session.createdTimeoutMs);
    }
  }

  overdue(now: number): Session[] {
    return [...this.#sessions.values()].filter((session) => session.expiresAt <= now);
  }

  remove(session: Session): void {
    this.#sessions.delete(session.id);
  }

  [Symbol.iterator](): Iterator<Session> {
    return this.#sessions.values();
  }
}
