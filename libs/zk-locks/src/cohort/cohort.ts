import type { CohortSight } from '../inspection/inspection.js';
import type { LocksContext } from '../grant/locks-context.js';
import type { NodeGrant } from '../grant/node-grant.js';
import type { LockMode } from '../lock/lock.js';
import { newWait } from '../queue/wait.js';
import { hasReturnCode, type InLine, Line, ReturnCode, type Wait } from 'zk-client/recipes';
import { type LockRequest, takeLock } from '../read-write/read-write-locks.js';
import type { CohortLimits } from '../options/cohort-options.js';
import { CohortTurn, type CohortGrant } from './cohort-turn.js';
import type { KeptTurns } from './kept-turns.js';

/** A call that waits for its turn within this process. */
interface LocalWaiter extends InLine<LocalWaiter> {
  readonly request: LockRequest;
  readonly wait: Wait;
  readonly onGranted: (member: CohortGrant) => void;
  readonly onRefused: (error: unknown) => void;
}

/** A node in ZooKeeper's queue, on behalf of the calls that wait here. */
interface QueuedNode {
  readonly mode: LockMode;
  readonly wait: Wait;
  isBlocked: boolean;
  /** Whether no call needs the node any more. */
  isStopped: boolean;
}

/**
 * The calls of one process that want one key. They wait in memory, first come, first served, and
 * one node stands in ZooKeeper's queue for all of them.
 *
 * When the current turn cannot serve the head of the line, a contender queues for the next turn. A
 * turn without calls inside ends immediately, unless its node is kept for the next call. A
 * contender without calls behind it ends as well.
 */
export class Cohort {
  readonly #line = new Line<LocalWaiter>();
  /** The latest turn, which may admit calls. */
  #turn: CohortTurn | undefined;
  /** All turns with calls inside. Readers of earlier turns may still be inside. */
  readonly #turns = new Set<CohortTurn>();
  #queued: QueuedNode | undefined;
  /** The number of calls that ask ZooKeeper themselves. */
  #trying = 0;
  #isSettling = false;
  #isSettled = true;
  /** Pending while it is being read whether the turn may serve the head of the line. */
  #reading: Promise<void> | undefined;

  /** @param kept undefined if no locks are kept */
  constructor(
    private readonly context: LocksContext,
    private readonly limits: CohortLimits,
    private readonly kept: KeptTurns | undefined,
    private readonly onIdle: () => void,
  ) {}

  /**
   * The turns whose calls hold the lock. Calls that have lost it may still be stopping, while another
   * process holds it.
   */
  get holding(): readonly CohortTurn[] {
    return [...this.#turns].filter(({ grant, isEmpty }) => grant.loss === undefined && !isEmpty);
  }

  get sight(): CohortSight<CohortGrant> {
    const members = this.holding.flatMap((turn) => [...turn.members]);
    return { members, waiting: this.#line.length };
  }

  /**
   * Waits for a grant, as long as `wait` allows.
   *
   * @throws as {@link takeLock}
   */
  take(request: LockRequest, wait: Wait): Promise<CohortGrant> {
    return request.timeoutMs === 0 ? this.#tryOnce(request, wait) : this.#waitInLine(request, wait);
  }

  get isKept(): boolean {
    return this.#turn?.isKept === true;
  }

  /**
   * Grants a lock that is kept, without a request; undefined if the call has to use {@link take}.
   */
  takeKept(request: LockRequest): CohortGrant | undefined {
    // The answer that a waiting call needs may have arrived in this turn of the event loop.
    if (this.#head()) return undefined;
    const turn = this.#turn;
    const mayServe = turn?.isKept === true && !turn.needsNews && turn.serves(request);
    return mayServe ? turn.admit(request) : undefined;
  }

  giveBackKept(): void {
    if (this.isKept) this.#turn?.giveBack();
  }

  async #waitInLine(request: LockRequest, wait: Wait): Promise<CohortGrant> {
    let granted: CohortGrant | undefined;
    let waiter!: LocalWaiter;
    const grant = new Promise<CohortGrant>((resolve, reject) => {
      const onGranted = (member: CohortGrant): void => resolve((granted = member));
      waiter = { request, wait, onGranted, onRefused: reject };
    });
    this.#line.join(waiter);
    void this.#settle();
    if (!granted && !this.#mayBeNext(waiter)) wait.blocked();
    try {
      return await wait.for(grant);
    } catch (error) {
      this.#line.leave(waiter);
      void granted?.release();
      void this.#settle();
      throw error;
    }
  }

  /**
   * Joins the calls inside, or asks ZooKeeper for a node of its own. It never overtakes a waiting
   * call.
   */
  async #tryOnce(request: LockRequest, wait: Wait): Promise<CohortGrant> {
    this.#trying++;
    try {
      this.#refuseIfBusy(request, wait);
      while (this.#turn?.needsNews) {
        await wait.for(this.#turn.readNews());
        this.#refuseIfBusy(request, wait);
      }
      const turn = this.#turn;
      if (turn?.serves(request)) return turn.admit(request);
      // The node of this process would block the new one.
      if (turn?.isEmpty) this.#end(turn);
      const own = this.#begin(await this.#takeLock(request, wait));
      return own.admit(request);
    } finally {
      this.#trying--;
      void this.#settle();
    }
  }

  /** @throws the error of a single try that is blocked by other calls of this process */
  #refuseIfBusy({ mode }: LockRequest, wait: Wait): void {
    const turn = this.#turn;
    const isExcluded = turn?.excludes(mode) === true && turn.grant.isHeld;
    if (this.#head() || this.#queued || isExcluded) wait.blocked();
    wait.throwIfOver();
  }

  /** Whether no contender is known to be ahead of it, here or in ZooKeeper. */
  #mayBeNext(waiter: LocalWaiter): boolean {
    const isTaken = this.#turn !== undefined && !this.#reading;
    return this.#line.head === waiter && !isTaken && !this.#queued?.isBlocked;
  }

  /**
   * Admits all calls that can be admitted, and ensures that a contender queues for the rest.
   * Checking whether a turn serves a call may end the turn by the clock, which calls this method
   * again; then it runs once more.
   *
   * @returns a promise that resolves when this is done, or undefined if it already is
   */
  #settle(): Promise<void> | undefined {
    this.#isSettled = false;
    if (this.#isSettling) return this.#reading;
    this.#isSettling = true;
    while (!this.#isSettled) {
      this.#isSettled = true;
      this.#settleOnce();
    }
    this.#isSettling = false;
    return this.#reading;
  }

  #settleOnce(): void {
    const turn = this.#turn;
    if (turn) {
      if (this.#mustRead(turn)) {
        this.#reading ??= this.#settleByNews(turn);
        return;
      }
      this.#serve(turn);
      this.#keepOrEnd(turn);
    }
    const head = this.#head();
    if (this.#queued) {
      if (!head || !canServe(this.#queued.mode, head.request.mode)) stop(this.#queued);
    } else if (head) {
      if (this.#turn?.serves(head.request)) this.#turn.tellTimeUp();
      else void this.#contend(head.request);
    } else if (this.#turns.size === 0 && this.#trying === 0) {
      this.onIdle();
    }
  }

  /** Whether it would serve the head of the line if its nodes were read first. */
  #mustRead(turn: CohortTurn): boolean {
    const head = this.#head();
    return head !== undefined && !turn.excludes(head.request.mode) && turn.needsNews;
  }

  async #settleByNews(turn: CohortTurn): Promise<void> {
    await turn.readNews();
    this.#reading = undefined;
    await this.#settle();
  }

  #serve(turn: CohortTurn): void {
    for (let head = this.#head(); head; head = this.#head()) {
      const { request } = head;
      if (turn.excludes(request.mode) || !turn.serves(request)) break;
      this.#line.leave(head);
      head.onGranted(turn.admit(request));
    }
  }

  /** Does nothing for a turn with calls inside. */
  #keepOrEnd(turn: CohortTurn): void {
    if (!turn.isEmpty) return;
    const isWanted = this.#head() !== undefined || this.#queued !== undefined;
    if (turn !== this.#turn || isWanted || !turn.keep()) this.#end(turn);
  }

  #end(turn: CohortTurn): void {
    this.#turns.delete(turn);
    if (this.#turn === turn) this.#turn = undefined;
    void turn.end();
  }

  /** The first call that still waits. A call whose time is up is about to leave by itself. */
  #head(): LocalWaiter | undefined {
    let { head } = this.#line;
    while (head?.wait.isOver) {
      this.#line.leave(head);
      ({ head } = this.#line);
    }
    return head;
  }

  /** Queues in ZooKeeper on behalf of all calls that wait here, for as long as there are any. */
  async #contend(first: LockRequest): Promise<void> {
    const request = { ...first, timeoutMs: Infinity, deadline: Infinity, signal: undefined };
    using wait = newWait(request, this.context, () => this.#onBlocked());
    const queued = { mode: first.mode, wait, isBlocked: false, isStopped: false };
    this.#queued = queued;
    try {
      this.#begin(await this.#takeLock(request, wait));
    } catch (error) {
      if (!queued.isStopped) this.#refuse(error);
    }
    this.#queued = undefined;
    void this.#settle();
  }

  #onBlocked(): void {
    if (this.#queued) this.#queued.isBlocked = true;
    this.#line.forEach(({ wait }) => wait.blocked());
  }

  /**
   * Rejects one call, which gets the error that it would have got alone. The next call asks for
   * itself, unless it would transfer a list that is too long. A call that the turn serves needs no
   * list.
   */
  #refuse(error: unknown): void {
    const isForAll = hasReturnCode(error, ReturnCode.answerTooLong);
    for (let head = this.#head(); head; head = isForAll ? this.#head() : undefined) {
      if (this.#turn?.serves(head.request)) break;
      this.#line.leave(head);
      head.onRefused(error);
    }
  }

  /** Queues in ZooKeeper, as long as `wait` allows. */
  #takeLock(request: LockRequest, wait: Wait): Promise<NodeGrant> {
    const { keepMs } = this.limits;
    const use = { cohort: true, keepMs: keepMs > 0 ? keepMs : undefined };
    // A node that may serve several calls does not show the label or the held locks of one of them.
    const shared = { ...request, use, label: undefined, nesting: undefined };
    return takeLock(shared, wait, this.context);
  }

  #begin(grant: NodeGrant): CohortTurn {
    const { limits, kept } = this;
    const onChange = (): Promise<void> | undefined => {
      if (turn !== this.#turn) this.#keepOrEnd(turn);
      return this.#settle();
    };
    const turn: CohortTurn = new CohortTurn(grant, limits, onChange, kept);
    const before = this.#turn;
    this.#turns.add(turn);
    this.#turn = turn;
    if (before) this.#keepOrEnd(before);
    return turn;
  }
}

function stop(queued: QueuedNode): void {
  if (queued.isStopped) return;
  queued.isStopped = true;
  queued.wait.stop(new Error('no call stands behind this contender any more'));
}

/** Whether a node in one mode can serve a call in another. */
function canServe(node: LockMode, call: LockMode): boolean {
  return node === 'write' || call === 'read';
}
