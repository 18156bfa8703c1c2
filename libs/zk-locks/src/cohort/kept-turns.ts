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

/** The most nodes that are kept at a time. Each costs its server a watch, and its session the room of its path. */
const MOST_KEPT = 1_000;

/** The most grants without a request before the event loop turns: about half a millisecond. */
const GRANTS_A_TURN = 256;

/** As much of a session as is needed here. */
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
 * The turns of all cohorts that are kept with no call inside, the oldest first. It is given back after
 * `keepMs`, or when there are too many. One timer serves them all.
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

  /** Looks out for other contenders than a node that was granted. */
  watchOthers(
    { lease, path }: { readonly lease: SessionLease; readonly path: string },
    onPresent: () => void,
  ): OtherContenders {
    const { session, dialect } = this;
    const own = dialect.sequenceText(nameOf(path));
    // The reader's node of a downgrade has the number of the writer's.
    const isOwn = (name: string): boolean => dialect.sequenceText(name) === own;
    const connection = (): number => this.#connection;
    return new OtherContenders(session, lease, parentOf(path), isOwn, connection, onPresent);
  }

  /** False where it is not to be kept, since all are about to be closed. */
  keep(turn: KeptTurn): boolean {
    if (this.#isClosed) return false;
    turn.keptSince = performance.now();
    this.#line.join(turn);
    if (this.#line.length > this.mostKept) this.#line.head?.giveBack();
    if (!this.#timer) this.#schedule();
    return true;
  }

  /** It is granted again, or given back. */
  take(turn: KeptTurn): void {
    this.#line.leave(turn);
  }

  /**
   * Counts a call that is about to be granted without a request. After a number of them, the next ones have
   * to wait until the event loop has turned: loops of calls would else keep out events, heartbeats and timers.
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

  /** Gives back all of them, and keeps no other one. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (let { head } = this.#line; head; { head } = this.#line) head.giveBack();
  }

  /** For the oldest one. The timer stays when that is granted again, which may be long before. */
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
