import type { CohortSight } from '../inspection/inspection.js';
import type { LockMode } from '../lock.js';
import type { Wait } from '../queue/wait.js';
import type { LockRequest } from '../read-write/take-lock.js';
import type { TenureLimits } from './cohort-options.js';
import { type InLine, Line } from './line.js';
import type { Member } from './member.js';
import { Tenure, type TenureHolding } from './tenure.js';

export interface CohortContext {
  readonly limits: TenureLimits;
  /** Queues up in ZooKeeper, as long as `wait` allows. */
  readonly takeLock: (request: LockRequest, wait: Wait) => Promise<TenureHolding>;
  /** Of a contender. `onBlocked` is called when somebody is found ahead of it. */
  readonly newWait: (request: LockRequest, onBlocked: () => void) => Wait;
}

/** A call of this process that waits for its turn in it. */
interface LocalWaiter extends InLine<LocalWaiter> {
  readonly request: LockRequest;
  readonly wait: Wait;
  readonly onGranted: (member: Member) => void;
  readonly onRefused: (error: unknown) => void;
}

/** A node that stands in ZooKeeper's queue for those who wait here. */
interface Contender {
  readonly mode: LockMode;
  readonly wait: Wait;
  isBlocked: boolean;
  /** Nobody wants it any more. */
  isStopped: boolean;
}

/**
 * The calls of one process that want one key: they stand behind each other in memory, first come,
 * first served, and one node stands in ZooKeeper's queue for all of them.
 *
 * Whenever the head of the line is not served by the present tenure, a contender queues up for the
 * next one. A tenure without anybody inside is over at once, and so is a contender without anybody
 * behind it: nothing is kept that nobody wants.
 */
export class Cohort {
  readonly #line = new Line<LocalWaiter>();
  /** The latest, which may let somebody in. */
  #tenure: Tenure | undefined;
  /** Those with somebody inside: readers of earlier ones bring these to their ends. */
  readonly #tenures = new Set<Tenure>();
  #contender: Contender | undefined;
  /** Calls that ask ZooKeeper by themselves. */
  #trying = 0;
  #isTurning = false;
  #isSettled = true;

  constructor(
    private readonly context: CohortContext,
    private readonly onIdle: () => void,
  ) {}

  get sight(): CohortSight<Member> {
    const members = Array.from(this.#tenures, (tenure) => [...tenure.members]).flat();
    return { members, waiting: this.#line.length };
  }

  /**
   * Waits for a grant, as long as `wait` allows.
   *
   * @throws as {@link CohortContext.takeLock}
   */
  take(request: LockRequest, wait: Wait): Promise<Member> {
    return request.timeoutMs === 0
      ? this.#tryOnce(request, wait)
      : this.#standInLine(request, wait);
  }

  async #standInLine(request: LockRequest, wait: Wait): Promise<Member> {
    let granted: Member | undefined;
    let waiter!: LocalWaiter;
    const grant = new Promise<Member>((resolve, reject) => {
      const onGranted = (member: Member): void => resolve((granted = member));
      waiter = { request, wait, onGranted, onRefused: reject };
    });
    this.#line.join(waiter);
    this.#turn();
    if (!granted && !this.#mayBeNext(waiter)) wait.blocked();
    try {
      return await wait.for(grant);
    } catch (error) {
      this.#line.leave(waiter);
      void granted?.release();
      this.#turn();
      throw error;
    }
  }

  /** Joins those inside, or asks ZooKeeper for a node of its own; passes nobody who waits here. */
  async #tryOnce(request: LockRequest, wait: Wait): Promise<Member> {
    const { mode, label } = request;
    this.#trying++;
    try {
      const tenure = this.#tenure;
      const isExcluded = tenure?.excludes(mode) === true && tenure.loss === undefined;
      if (this.#head() || this.#contender || isExcluded) wait.blocked();
      wait.throwIfOver();
      if (tenure?.serves(mode)) return tenure.admit(mode, label);
      const own = this.#begin(await this.context.takeLock(request, wait));
      return own.admit(mode, label);
    } finally {
      this.#trying--;
      this.#turn();
    }
  }

  /** Whether nobody is known to be before it, neither here nor in ZooKeeper. */
  #mayBeNext(waiter: LocalWaiter): boolean {
    return this.#line.head === waiter && !this.#tenure && !this.#contender?.isBlocked;
  }

  /**
   * Lets in whoever can be, and sees to it that a contender stands in the queue for the rest. Asking
   * whether a tenure serves may end it by the clock, which calls this again: then it is done once more.
   */
  #turn(): void {
    this.#isSettled = false;
    if (this.#isTurning) return;
    this.#isTurning = true;
    while (!this.#isSettled) {
      this.#isSettled = true;
      this.#turnOnce();
    }
    this.#isTurning = false;
  }

  #turnOnce(): void {
    if (this.#tenure) {
      this.#serve(this.#tenure);
      this.#endIfEmpty(this.#tenure);
    }
    const head = this.#head();
    if (this.#contender) {
      if (!head || !canServe(this.#contender.mode, head.request.mode)) stop(this.#contender);
    } else if (head) {
      if (!this.#tenure?.serves(head.request.mode)) void this.#contend(head.request);
    } else if (this.#tenures.size === 0 && this.#trying === 0) {
      this.onIdle();
    }
  }

  #serve(tenure: Tenure): void {
    for (let head = this.#head(); head; head = this.#head()) {
      const { mode, label } = head.request;
      if (tenure.excludes(mode) || !tenure.serves(mode)) break;
      this.#line.leave(head);
      head.onGranted(tenure.admit(mode, label));
    }
  }

  #endIfEmpty(tenure: Tenure): void {
    if (!tenure.isEmpty) return;
    this.#tenures.delete(tenure);
    if (this.#tenure === tenure) this.#tenure = undefined;
    void tenure.end();
  }

  /** The first one who still waits: whose time is up is about to leave by itself. */
  #head(): LocalWaiter | undefined {
    let { head } = this.#line;
    while (head?.wait.isOver) {
      this.#line.leave(head);
      ({ head } = this.#line);
    }
    return head;
  }

  /** Stands in ZooKeeper's queue for all who wait here, for as long as there are any. */
  async #contend(first: LockRequest): Promise<void> {
    const request = { ...first, timeoutMs: Infinity, deadline: Infinity, signal: undefined };
    using wait = this.context.newWait(request, () => this.#onBlocked());
    const contender = { mode: first.mode, wait, isBlocked: false, isStopped: false };
    this.#contender = contender;
    try {
      this.#begin(await this.context.takeLock(request, wait));
    } catch (error) {
      if (!contender.isStopped) this.#refuse(error);
    }
    this.#contender = undefined;
    this.#turn();
  }

  #onBlocked(): void {
    if (this.#contender) this.#contender.isBlocked = true;
    this.#line.forEach(({ wait }) => wait.blocked());
  }

  /** One call is told, as it would be if it were alone; the next one asks for itself. */
  #refuse(error: unknown): void {
    const head = this.#head();
    if (!head) return;
    this.#line.leave(head);
    head.onRefused(error);
  }

  #begin(holding: TenureHolding): Tenure {
    const tenure = new Tenure(holding, this.context.limits, () => {
      if (tenure !== this.#tenure) this.#endIfEmpty(tenure);
      this.#turn();
    });
    this.#tenures.add(tenure);
    return (this.#tenure = tenure);
  }
}

function stop(contender: Contender): void {
  if (contender.isStopped) return;
  contender.isStopped = true;
  contender.wait.stop(new Error('nobody stands behind this contender any more'));
}

/** Whether a node in one mode is of use for a call in another. */
function canServe(node: LockMode, call: LockMode): boolean {
  return node === 'write' || call === 'read';
}
