import type { SimulatedTimer } from '../../world/timers.js';
import type { Entry, Request } from '../log/entry.js';
import type { Log } from '../log/log.js';
import type { Replica } from '../log/replica.js';
import { LearnerHandler, type LearnerMaster } from './learner-handler.js';
import type { Learner } from './learner.js';
import type { Peer } from '../peer.js';

interface Revalidation {
  readonly sessionId: bigint;
  readonly timeoutMs: number;
  readonly observer: LearnerHandler;
}

/** A follower that serves observers in place of the leader. */
export class ObserverMaster implements LearnerMaster {
  readonly initLimit: number;
  readonly syncLimit: number;
  readonly initLimitMs: number;
  readonly syncLimitMs: number;
  /** Like ZooKeeper, this stays at the value from when the server last led. */
  readonly tick = 0;
  readonly #all = new Set<LearnerHandler>();
  readonly #observers = new Set<LearnerHandler>();
  readonly #revalidations: Revalidation[] = [];
  readonly #timer: SimulatedTimer;

  constructor(
    private readonly peer: Peer,
    private readonly follower: Learner,
    private readonly epoch: number,
  ) {
    const { ensemble, options, process } = peer;
    ({ initLimit: this.initLimit, syncLimit: this.syncLimit } = ensemble);
    this.initLimitMs = this.initLimit * options.tickTimeMs;
    this.syncLimitMs = this.syncLimit * options.tickTimeMs;
    peer.listen('observers', (link) => void this.#all.add(new LearnerHandler(this, link)));
    const ping = (): void => {
      for (const observer of this.#observers) observer.ping();
    };
    this.#timer = process.addTimer(ping, options.tickTimeMs / 2, true);
  }

  get log(): Log {
    return this.peer.disk.log;
  }

  get replica(): Replica {
    return this.follower.replica;
  }

  get lastCommitted(): number {
    return this.follower.lastCommitted;
  }

  stop(): void {
    this.#timer.close();
    this.peer.listen('observers', undefined);
    for (const observer of [...this.#all]) observer.close();
  }

  introduced(observer: LearnerHandler): void {
    observer.send({ kind: 'epoch', epoch: this.epoch });
  }

  promised(observer: LearnerHandler): void {
    observer.synchronize(this.epoch);
  }

  inStep(observer: LearnerHandler): void {
    observer.send({ kind: 'upToDate' });
  }

  acknowledged(): void {
    // An observer does not vote.
  }

  forwardTo(observer: LearnerHandler): void {
    this.#observers.add(observer);
  }

  inform(entry: Entry): void {
    for (const observer of this.#observers) observer.send({ kind: 'inform', entry });
  }

  touch(sessionId: bigint, timeoutMs: number): boolean {
    return this.follower.touch(sessionId, timeoutMs);
  }

  submitFor(_observer: LearnerHandler, request: Request): void {
    this.follower.submit(request);
  }

  syncFor(observer: LearnerHandler): void {
    this.follower.syncFor(() => observer.send({ kind: 'synced' }));
  }

  revalidateFor(observer: LearnerHandler, sessionId: bigint, timeoutMs: number): void {
    this.#revalidations.push({ sessionId, timeoutMs, observer });
    this.follower.askForSession(sessionId, timeoutMs);
  }

  /** Returns false if the answer is not for an observer. */
  takeRevalidated(sessionId: bigint, isValid: boolean): boolean {
    const [first] = this.#revalidations;
    if (first?.sessionId !== sessionId) return false;
    this.#revalidations.shift();
    first.observer.send({ kind: 'revalidated', sessionId, isValid });
    if (isValid) this.touch(sessionId, first.timeoutMs);
    return true;
  }

  removed(observer: LearnerHandler): void {
    this.#all.delete(observer);
    this.#observers.delete(observer);
  }
}
