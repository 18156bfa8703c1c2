import { vi } from 'vitest';
import { Cohort } from '../../libs/zk-locks/src/cohort/cohort.js';
import type { CohortGrant, TurnGrant } from '../../libs/zk-locks/src/cohort/cohort-turn.js';
import { KeptTurns } from '../../libs/zk-locks/src/cohort/kept-turns.js';
import type { LockMode } from '../../libs/zk-locks/src/lock/lock.js';
import { fencingToken } from '../../libs/zk-locks/src/nodes/fencing-token.js';
import { Wait } from '../../libs/zk-client/src/session/wait.js';
import type { LockRequest } from '../../libs/zk-locks/src/read-write/read-write-locks.js';
import { FakeGrant, isExcluding, KEY, type Node, Queue } from './model-queue.js';
import { ModelSession } from './model-session.js';

/** A holder: a node of another process, or a member under our node. */
interface Inside {
  readonly token: bigint;
  readonly node: Node;
  readonly mode: () => LockMode;
  readonly isHeld: () => boolean;
}

/** The state of the world when a token was made. */
interface Moment {
  readonly at: number;
  readonly isConnected: boolean;
  readonly isToldAlone: boolean;
  /** Whether the lock was kept, without a member inside to pass it on. */
  readonly wasKept: boolean;
}

/** A call for the lock. */
interface Call {
  readonly mode: LockMode;
  readonly isTry: boolean;
  readonly wait: Wait;
  isSettled: boolean;
}

interface Grant extends Inside {
  readonly member: CohortGrant;
  readonly holding: FakeGrant;
  released?: { readonly isLost: boolean; readonly isRevoked: boolean };
}

const LIMITS = { maxHandovers: 3, maxTenureMs: 50 };
/** How long locks are kept. */
export const KEEP_MS = 200;

/**
 * A cohort, and other processes that want the same lock. A step that makes no sense at the moment
 * is skipped. The promises are checked at each grant, and whenever the world is at rest.
 */
export class World {
  readonly queue = new Queue();
  readonly session = new ModelSession(this.queue);
  readonly #kept: KeptTurns | undefined;
  /** Since when each node of ours has had no member inside. */
  readonly #emptySince = new Map<Node, number>();
  readonly #revoked = new Set<Node>();
  readonly #moments = new Map<Node, Moment[]>();
  #isPassingOn = false;
  /**
   * A call may give up after it was let in and before it was told; it then passes the lock on as
   * well.
   */
  #isGivingUp = false;
  #isClosed = false;
  /** Grants that would not exist without keeping. */
  keptGrants = 0;
  readonly holdings: FakeGrant[] = [];
  readonly calls: Call[] = [];
  readonly grants: Grant[] = [];
  readonly others: Inside[] = [];
  readonly #beganAt = new Map<bigint, number>();
  readonly #passed = new Set<Call>();
  /** The latest token under each node when another process asked for the lock. */
  readonly #lastTokens = new Map<bigint, bigint>();
  /** Unanswered calls to ZooKeeper. */
  #asking = 0;
  #isRefusing = false;
  /** The lease of the next node of ours ends in the turn in which it is granted. */
  #isNextOver = false;
  /** Promises that were broken. */
  readonly broken: string[] = [];
  idle = 0;

  readonly cohort: Cohort;

  constructor(isKeeping: boolean) {
    const { session } = this;
    const dialect = { sequenceText: (name: string) => name };
    if (isKeeping) this.#kept = new KeptTurns(session, dialect, KEEP_MS);
    const context = {
      limits: { ...LIMITS, keepMs: isKeeping ? KEEP_MS : 0 },
      kept: this.#kept,
      takeLock: (request: LockRequest, wait: Wait) => this.#takeLock(request, wait),
      newWait: (request: LockRequest, onBlocked: () => void) =>
        newWait(request.timeoutMs, onBlocked),
    };
    this.cohort = new Cohort(context, () => {
      this.idle++;
      const isHolding = this.holdings.some(
        ({ node, isReleased, signal }) => this.#wasGranted(node) && !isReleased && !signal.aborted,
      );
      const isInUse = isHolding || this.#asking + this.inside().length > 0;
      this.#check(!isInUse, 'a cohort in use is not forgotten');
    });
  }

  readonly steps: Record<string, (pick: number) => void | Promise<void>> = {
    writerCalls: () => this.#call('write', Infinity),
    readerCalls: () => this.#call('read', Infinity),
    somebodyTries: (pick) => this.#call(pick % 2 === 0 ? 'read' : 'write', 0),
    otherQueuesUp: (pick) => this.#otherQueuesUp(pick % 3 === 0 ? 'read' : 'write'),
    otherLeaves: (pick) => {
      const other = this.others[pick % Math.max(this.others.length, 1)];
      if (!other) return;
      this.others.splice(this.others.indexOf(other), 1);
      this.queue.leave(other.node);
    },
    memberLeaves: (pick) => {
      const grant = this.#insideBy(pick);
      if (grant) this.#release(grant);
    },
    callsCome: async (pick) => {
      for (let times = 0; times < 3; times++) {
        for (const grant of this.inside()) this.#release(grant);
        await this.rest();
        this.#call((pick + times) % 5 === 0 ? 'read' : 'write', Infinity);
        await this.rest();
      }
    },
    callGivesUp: (pick) => {
      this.#isGivingUp = true;
      const waiting = this.calls.filter(({ isSettled }) => !isSettled);
      waiting[pick % Math.max(waiting.length, 1)]?.wait.stop(new Error('has given up'));
    },
    writerBecomesReader: (pick) => {
      const grant = this.#insideBy(pick);
      if (grant?.mode() !== 'write') return;
      grant.member.share('read');
      void grant.member.unshare('write');
      this.#check(grant.mode() === 'read', 'downgrade');
    },
    leaseEndsUnnoticed: (pick) => {
      const holding = this.#pickHolding(pick);
      if (holding) holding.isOverByTheClock = true;
    },
    leaseEndsAtTheGrant: () => {
      this.#isNextOver = true;
    },
    nodeIsLost: (pick) => this.#pickHolding(pick)?.lose(),
    somebodyAsksForIt: (pick) => {
      const holding = this.#pickHolding(pick);
      if (!holding) return;
      const tokens = this.cohort.sight.members.map(({ fencingToken: token }) => token);
      const own = tokens.filter((token) => token >> 10n === holding.node.czxid);
      this.#lastTokens.set(holding.node.czxid, own.at(-1) ?? fencingToken(holding.node.czxid));
      this.#revoked.add(holding.node);
      holding.revoke();
    },
    connectionIsLost: () => this.session.disconnect(),
    connectionIsBack: (pick) => {
      this.session.reconnect(() => pick % 2 === 0 && this.#call('write', Infinity));
    },
    serverWorks: () => this.session.serverWorks(),
    newsArrive: (pick) => this.session.newsArrive(pick % 3),
    keptNodeIsDeletedInTheGap: (pick) => {
      const holding = this.#pickHolding(pick);
      const isInUse = this.cohort.sight.members.length > 0;
      if (!holding || this.session.isConnected || isInUse || !this.#wasGranted(holding.node))
        return;
      this.queue.leave(holding.node);
      // Its own node is read beside the list, and may be answered later.
      this.session.whenConnected(() => this.session.hear(() => holding.lose()));
    },
    nodeIsBrokenInAStall: (pick) => {
      const holding = this.#pickHolding(pick);
      const isInUse = this.cohort.sight.members.length > 0;
      if (!holding || !this.session.isConnected || isInUse || !this.#wasGranted(holding.node))
        return;
      this.session.stall();
      this.queue.leave(holding.node);
      this.session.tell(() => holding.lose());
      this.#otherQueuesUp('write');
      this.#call('write', pick % 2 === 0 ? Infinity : 0);
    },
    stalls: () => this.session.stall(),
    closes: (pick) => {
      if (pick > 0) return;
      this.#isClosed = true;
      this.#kept?.close();
    },
    serverRefuses: () => {
      this.#isRefusing = true;
    },
    timePasses: async (pick) => {
      for (let times = 0; times < pick; times++) {
        vi.advanceTimersByTime(10);
        await this.rest();
      }
    },
  };

  /** Lets promises settle. */
  async rest(): Promise<void> {
    do {
      await new Promise((resolve) => setImmediate(resolve));
      this.session.serverWorks();
      this.session.newsArrive();
      await new Promise((resolve) => setImmediate(resolve));
    } while (this.session.isBusy);
    this.#isRefusing = this.#isGivingUp = false;
    this.#checkRest();
  }

  /** All holders leave, until no call wants the lock. */
  async disperse(): Promise<void> {
    const isDone = (): boolean =>
      this.queue.nodes.length + this.inside().length === 0 &&
      this.calls.every(({ isSettled }) => isSettled);
    this.session.reconnect();
    await this.rest();
    for (let rounds = 0; !isDone(); rounds++) {
      if (rounds > 200) throw new Error('a call waits forever');
      void this.steps.otherLeaves?.(0);
      for (const grant of this.inside()) this.#release(grant);
      await this.rest();
      vi.advanceTimersByTime(KEEP_MS / 10);
    }
  }

  /** A call with a signal that has aborted. */
  async triesInVain(): Promise<void> {
    using wait = newWait(0);
    wait.stop(new Error('has given up'));
    const request = { key: KEY, mode: 'write', timeoutMs: 0 } as LockRequest;
    const taken = await this.cohort.take(request, wait).catch(() => undefined);
    this.#check(taken === undefined, 'a call that gave up is not let in');
  }

  inside(): Grant[] {
    return this.grants.filter(({ released }) => !released);
  }

  #insideBy(pick: number): Grant | undefined {
    const inside = this.inside();
    return inside[pick % Math.max(inside.length, 1)];
  }

  #pickHolding(pick: number): FakeGrant | undefined {
    const held = this.holdings.filter(({ isReleased, loss }) => !isReleased && !loss);
    return held[pick % Math.max(held.length, 1)];
  }

  #release(grant: Grant): void {
    const { member, node } = grant;
    const [isLost, isRevoked] = [member.signal.aborted, member.revoked.aborted];
    grant.released = { isLost, isRevoked };
    if (!this.inside().some((other) => other.node === node)) {
      this.#emptySince.set(node, performance.now());
    }
    this.#isPassingOn = true;
    void member.unshare(member.mode);
    this.#isPassingOn = false;
  }

  #call(mode: LockMode, timeoutMs: number): void {
    const wait = newWait(timeoutMs);
    const call: Call = { mode, isTry: timeoutMs === 0, wait, isSettled: false };
    this.calls.push(call);
    const request = { key: KEY, mode, timeoutMs } as LockRequest;
    const mayPass = call.isTry && this.cohort.sight.waiting === 0;
    const isAsking = this.session.isConnected && !this.#isRefusing;
    const isInUse = this.cohort.sight.members.length + this.#asking > 0;
    const isOursAlone = this.queue.nodes.every(({ isOurs }) => isOurs);
    const isFree = mayPass && isOursAlone && !isInUse && isAsking;
    const kept = this.cohort.takeKept(request);
    const taking = kept ? Promise.resolve(kept) : this.cohort.take(request, wait);
    void taking
      .then(
        (member) => {
          this.#check(mayPass || !call.isTry, 'a try passes no waiter');
          this.#onGranted(call, member);
        },
        (error: unknown) => {
          const { message } = error as Error;
          this.#check(/has given up|refused|timed out/.test(message), message);
          this.#check(!isFree, 'a try takes a free lock');
        },
      )
      .finally(() => {
        call.isSettled = true;
        wait[Symbol.dispose]();
      });
  }

  async #takeLock(request: LockRequest, wait: Wait): Promise<TurnGrant> {
    this.#asking++;
    try {
      return await this.#queueUp(request, wait);
    } finally {
      this.#asking--;
    }
  }

  async #queueUp({ mode, timeoutMs }: LockRequest, wait: Wait): Promise<TurnGrant> {
    const { session } = this;
    if (timeoutMs > 0) await wait.for(new Promise<void>((done) => session.whenConnected(done)));
    if (this.#isRefusing || !session.isConnected) {
      // As if an ACL refused its creation.
      wait.stop(new Error('refused'));
      wait.signal.throwIfAborted();
    }
    if (this.queue.isBusyFor(mode)) wait.blocked();
    wait.signal.throwIfAborted();
    let node!: Node;
    const turn = new Promise<void>((resolve) => {
      node = this.queue.enter(mode, true, () => {
        // In the turn in which the node's tenure begins.
        this.#beganAt.set(node.czxid, performance.now());
        const holding = new FakeGrant(this.queue, node, session);
        const moments: Moment[] = [];
        this.#moments.set(node, moments);
        holding.onGrant = () => moments.push(this.#momentOf(node, moments.length));
        holding.isOverByTheClock = this.#isNextOver;
        this.#isNextOver = false;
        this.holdings.push(holding);
        resolve();
      });
    });
    this.queue.pass();
    try {
      await wait.for(turn);
    } catch (error) {
      session.whenConnected(() => this.queue.leave(node));
      throw error;
    }
    return this.#holdingOf(node.czxid);
  }

  #holdingOf(czxid: bigint): FakeGrant {
    const holding = this.holdings.find(({ node }) => node.czxid === czxid);
    if (!holding) throw new Error(`no node ${czxid} was granted`);
    return holding;
  }

  #otherQueuesUp(mode: LockMode): void {
    const node: Node = this.queue.enter(mode, false, () => {
      const token = fencingToken(node.czxid);
      const other = { token, node, mode: () => node.mode, isHeld: () => true };
      this.#checkEntrance(other);
      this.others.push(other);
    });
    this.queue.pass();
  }

  #onGranted(call: Call, member: CohortGrant): void {
    call.isSettled = true;
    member.share(call.mode);
    const holding = this.#holdingOf(member.fencingToken >> 10n);
    const { node } = holding;
    const index = Number(member.fencingToken & 1_023n);
    const isHeld = (): boolean => member.isHeld;
    const grant: Grant = {
      ...{ member, holding, node, isHeld },
      token: member.fencingToken,
      mode: () => member.mode,
    };
    // Between the grant and this turn, time or an operator may have ended it.
    if (isHeld()) this.#checkEntrance(grant);
    this.#checkOrder(call);
    this.#checkLimits(node, index);
    const last = this.#lastTokens.get(node.czxid) ?? member.fencingToken;
    this.#check(member.fencingToken <= last, 'no grant after a request');
    this.grants.push(grant);
  }

  #momentOf(node: Node, index: number): Moment {
    const { isConnected, isToldAlone } = this.session;
    const members = this.cohort.sight.members.map(({ fencingToken: token }) => token >> 10n);
    const isPassedOn = this.#isPassingOn || this.#isGivingUp || members.includes(node.czxid);
    const wasKept = index > 0 && !isPassedOn;
    return { at: performance.now(), isConnected, isToldAlone, wasKept };
  }

  /** Beyond the limits of a turn, a grant needs proof that no other node exists. */
  #checkLimits(node: Node, index: number): void {
    const moment = this.#moments.get(node)?.[index];
    if (!moment) throw new Error('a token was made without a grant');
    const tenureMs = moment.at - (this.#beganAt.get(node.czxid) ?? NaN);
    const isInTime = index === 0 || tenureMs < LIMITS.maxTenureMs;
    const isWithin = isInTime && index <= LIMITS.maxHandovers;
    this.#check(isWithin || moment.isToldAlone, 'limits of a turn');
    this.#check(
      moment.isConnected || !moment.wasKept,
      'a kept lock is not granted while suspended',
    );
    if (moment.wasKept) this.keptGrants++;
  }

  /** Exclusion, and rising tokens. */
  #checkEntrance(newcomer: Inside): void {
    const inside = [...this.inside(), ...this.others].filter(({ isHeld }) => isHeld());
    for (const other of inside) {
      this.#check(!isExcluding(other.mode(), newcomer.mode()), 'exclusion');
    }
    for (const before of this.grants) {
      if (isExcluding(before.mode(), newcomer.mode())) {
        this.#check(newcomer.token > before.token, 'tokens rise');
      }
    }
  }

  /** No earlier call was passed, unless it is refused in this turn. */
  #checkOrder(call: Call): void {
    this.#check(!this.#passed.has(call), 'order of calls');
    if (call.isTry) return;
    const before = this.calls.slice(0, this.calls.indexOf(call));
    const isWaiting = ({ isSettled, isTry, wait }: Call): boolean =>
      !isSettled && !isTry && !wait.isOver;
    for (const earlier of before.filter(isWaiting)) this.#passed.add(earlier);
  }

  #checkRest(): void {
    this.#check(
      [...this.#passed].every(({ isSettled }) => isSettled),
      'order of calls',
    );
    const waiting = this.calls.filter(({ isSettled }) => !isSettled);
    const ours = this.queue.nodes.filter(({ isOurs }) => isOurs);
    for (const node of ours) {
      const isInside = this.inside().some((grant) => grant.node === node);
      const isUsed = node.isGranted ? isInside : waiting.length > 0;
      const mayBeLeft = !this.session.isConnected || this.#mayBeKept(node);
      this.#check(isUsed || mayBeLeft, 'an unwanted lock is not kept');
      if (isUsed && !this.session.isConnected) continue;
      const isForReaders = this.inside().every(
        (grant) => grant.node !== node || grant.mode() === 'read',
      );
      const ageMs = performance.now() - (this.#beganAt.get(node.czxid) ?? Infinity);
      const isAlone = this.#kept !== undefined && this.queue.nodes.length === 1;
      if (isInside && isForReaders && !isAlone && ageMs >= 2 * LIMITS.maxTenureMs) {
        this.#check(node.mode === 'read', 'readers let others read');
      }
    }
    const isServed = waiting.length === 0 || ours.length > 0 || !this.session.isConnected;
    this.#check(isServed, 'waiting calls have a node');
    this.#check(this.cohort.sight.waiting === waiting.length, 'waiting calls are counted');
    for (const { member, holding } of this.inside()) {
      // Reads the signal: `loss` could end the holding, as time may have passed.
      const isLost = holding.signal.aborted;
      this.#check(member.signal.aborted === isLost, 'loss reaches all');
      this.#check(
        isLost || member.revoked.aborted === holding.revoked.aborted,
        'requests reach all',
      );
    }
    for (const { member, released } of this.grants) {
      if (!released) continue;
      this.#check(member.signal.aborted === released.isLost, 'no loss after the release');
      this.#check(member.revoked.aborted === released.isRevoked, 'no request after the release');
    }
  }

  /** Whether a node without members inside may stay. */
  #mayBeKept(node: Node): boolean {
    if (!this.#kept || this.#isClosed || this.#revoked.has(node)) return false;
    const isAlone = this.queue.nodes.length === 1;
    return isAlone && performance.now() - (this.#emptySince.get(node) ?? NaN) < KEEP_MS;
  }

  #wasGranted(node: Node): boolean {
    return (this.#moments.get(node)?.length ?? 0) > 0;
  }

  #check(isKept: boolean, promise: string): void {
    if (!isKept) this.broken.push(promise);
  }
}

function newWait(timeoutMs: number, onBlocked?: () => void): Wait {
  return new Wait({
    ...{ timeoutMs, answerWithinMs: Infinity, onBlocked },
    onTimeout: () => new Error('timed out'),
    onAbort: () => new Error('aborted'),
  });
}
