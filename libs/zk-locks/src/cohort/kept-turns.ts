import {
  type InLine,
  Line,
  nameOf,
  parentOf,
  type Session,
  type SessionLease,
  setImmediate,
} from 'zk-client/recipes';
import type { Dialect } from '../nodes/dialect.js';
import { OtherContenders } from './other-contenders.js';

/**
 * The maximum number of kept nodes. Each costs its server a watch, and takes room in the session.
 */
const MOST_KEPT = 1_000;

/** The most grants without a request in one turn of the event loop: about half a millisecond. */
const GRANTS_A_TURN = 256;

/** The part of a session that is used here. */
export type KeptSession = Pick<
  Session,
  'connectedLease' | 'list' | 'watch' | 'unwatch' | 'onState'
>;

/** A turn with no call inside, whose node is kept. */
export interface KeptTurn extends InLine<KeptTurn> {
  keptSince: number;
  giveBack(): void;
}

/**
 * The kept turns of all cohorts that have no call inside, the oldest first. A turn is released
 * after `keepMs`, or when there are too many. One timer serves all of them.
 */
export class KeptTurns {
  readonly #line = new Line<KeptTurn>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #connection = 0;
  #grants = 0;
  #pause: Promise<void> | undefined;

  constructor(
    private readonly session: KeptSession,
    private readonly dialect: Pick<Dialect, 'sequenceText'>,
    private readonly keepMs: number,
    private readonly mostKept = MOST_KEPT,
  ) {
    session.onState(({ name }) => {
      if (name !== 'connected') this.#connection++;
    });
  }

  get isEmpty(): boolean {
    return this.#line.head === undefined;
  }

  /** Watches for contenders other than a granted node. */
  watchOthers(
    { lease, path }: { readonly lease: SessionLease; readonly path: string },
    onPresent: () => void,
  ): OtherContenders {
    const { session, dialect } = this;
    const own = dialect.sequenceText(nameOf(path));
    // The reader's node of a downgrade has the sequence number of the writer's node.
    const isOwn = (name: string): boolean => dialect.sequenceText(name) === own;
    const connection = (): number => this.#connection;
    return new OtherContenders(session, lease, parentOf(path), isOwn, connection, onPresent);
  }

  /** Returns false if the turn cannot be kept because all of them are about to be closed. */
  keep(turn: KeptTurn): boolean {
    if (this.#isClosed) return false;
    turn.keptSince = performance.now();
    this.#line.join(turn);
    if (this.#line.length > this.mostKept) this.#line.head?.giveBack();
    if (!this.#timer) this.#schedule();
    return true;
  }

  /** Removes a turn that is granted again, or released. */
  take(turn: KeptTurn): void {
    this.#line.leave(turn);
  }

  /**
   * Counts a call that is about to be granted without a request. After a certain number, further
   * calls have to wait for the next turn of the event loop. Otherwise, loops of calls would hold up
   * events, heartbeats and timers.
   */
  pause(): Promise<void> | undefined {
    if (++this.#grants <= GRANTS_A_TURN) return undefined;
    this.#pause ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#grants = 0;
        this.#pause = undefined;
        resolve();
      });
    });
    return this.#pause;
  }

  /** Releases all of them, and keeps no further turn. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (let { head } = this.#line; head; { head } = this.#line) head.giveBack();
  }

  /**
   * Sets the timer for the oldest turn. When that turn is granted again, possibly long before, the
   * timer stays.
   */
  #schedule(): void {
    const { head } = this.#line;
    if (!head) return;
    const ms = head.keptSince + this.keepMs - performance.now();
    this.#timer = setTimeout(this.#onTime, Math.max(Math.ceil(ms), 1)).unref();
  }

  readonly #onTime = (): void => {
    const latest = performance.now() - this.keepMs;
    this.#timer = undefined;
    for (let { head } = this.#line; head && head.keptSince <= latest; { head } = this.#line) {
      head.giveBack();
    }
    this.#schedule();
  };
}
