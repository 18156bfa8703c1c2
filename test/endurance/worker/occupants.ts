import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LeaderElection, Lock, LockService, Permit } from 'nestjs-zk-lock';

type Held = Lock | Permit;

/** A place with one holder and one waiter. */
type Seat = () => Promise<Held>;

const LOCKS = 8;
const WAIT_MS = 60_000;

/** Holds locks and permits, with a waiter for each, while their sessions end repeatedly. */
export class Occupants {
  readonly #seats: readonly Seat[];
  #held: Held[] = [];
  #waiting: Promise<Held>[] = [];
  readonly #election: LeaderElection;

  constructor(
    private readonly locks: LockService,
    private readonly signal: AbortSignal,
  ) {
    const options = { timeoutMs: WAIT_MS, signal };
    this.#seats = [
      ...Array.from({ length: LOCKS }, (_, seat) => () => locks.acquire(`seat-${seat}`, options)),
      () => locks.acquireUpgradable('seat-upgradable', options),
      () => locks.semaphore('seat-permits', { permits: 2 }).acquire({ ...options, take: 2 }),
    ];
    this.#election = locks.election('seat-leader');
  }

  /**
   * Two nodes for each lock; a reader and two intents for the upgradable lock; two leases for the permits;
   * the place in the queue and two leases of their waiter; and the leader's node.
   */
  get ephemerals(): number {
    return 2 * LOCKS + 3 + 5 + 1;
  }

  async occupy(): Promise<void> {
    this.#held = await Promise.all(this.#seats.map((take) => take()));
    await this.#queueUp();
  }

  /** Call this after the end of the session: all locks are lost, and the waiters acquire them. */
  async succeed(): Promise<void> {
    await Promise.all(this.#held.map((held) => told(held)));
    for (const held of this.#held)
      if (held.isHeld) throw new Error('a lost lock claims to be held');
    const next = await Promise.all(this.#waiting);
    await Promise.all(this.#held.map((held) => held.release()));
    this.#held = next;
    await this.#queueUp();
  }

  /** Waits until everything is held again: after many losses in a row, an election pauses. */
  async settle(): Promise<void> {
    // On a busy machine, a session can be lost without a fault.
    while (this.#held.some(({ isHeld }) => !isHeld)) await this.succeed();
    await this.#election.whenLeader({ signal: this.signal });
  }

  async #queueUp(): Promise<void> {
    let served = 0;
    this.#waiting = this.#seats.map((take) => take().finally(() => served++));
    while (this.locks.counts.waiting + served < this.#seats.length) await nextTurn();
  }
}

/** Resolves when the holder has been told of the loss. */
async function told({ signal }: Held): Promise<void> {
  if (!signal.aborted) {
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve, { once: true });
    });
  }
  const { code } = signal.reason as { code?: string };
  if (code !== 'LOCK_LOST') throw new Error(`it was told ${String(signal.reason)}`);
}
