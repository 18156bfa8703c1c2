import type { SimulatedTimer } from '../../world/timers.js';
import type { Entry, Request } from '../log/entry.js';
import type { Log } from '../log/log.js';
import type { Replica } from '../log/replica.js';
import { zxidOf } from '../log/zxid.js';
import type { History } from './bring-into-step.js';
import { Leader, type Learners } from './leader.js';
import { LearnerHandler, type LearnerMaster } from './learner-handler.js';
import { isVoter, majorityOf } from '../options.js';
import type { Peer } from '../peer.js';

/** Collects the servers that agree until they are a majority. */
class Quorum {
  readonly #ids = new Set<number>();

  constructor(private readonly majority: number) {}

  get isReached(): boolean {
    return this.#ids.size >= this.majority;
  }

  /** Returns true for the server that completes the majority. */
  add(id: number): boolean {
    if (this.isReached) return false;
    this.#ids.add(id);
    return this.isReached;
  }
}

/**
 * The leader's side of a quorum: agrees on an epoch with a majority, synchronizes it, leads, and
 * gives up when it has lost its majority.
 */
export class Leading implements LearnerMaster, Learners {
  readonly initLimit: number;
  readonly syncLimit: number;
  readonly initLimitMs: number;
  readonly syncLimitMs: number;
  tick = 0;
  #leader: Leader | undefined;
  #epoch: number;
  #isTickSkipped = true;
  #timer: SimulatedTimer | undefined;
  readonly #learners = new Set<LearnerHandler>();
  #followers: LearnerHandler[] = [];
  /** They receive committed entries only, and no proposals. */
  #observers: LearnerHandler[] = [];
  readonly #introduced: Quorum;
  readonly #promised: Quorum;
  readonly #inStep: Quorum;

  constructor(
    private readonly peer: Peer,
    private readonly onCommit: (entry: Entry) => void,
  ) {
    const { ensemble, options, disk } = peer;
    ({ initLimit: this.initLimit, syncLimit: this.syncLimit } = ensemble);
    this.initLimitMs = this.initLimit * options.tickTimeMs;
    this.syncLimitMs = this.syncLimit * options.tickTimeMs;
    this.#epoch = disk.acceptedEpoch + 1;
    const majority = majorityOf(ensemble);
    this.#introduced = new Quorum(majority);
    this.#promised = new Quorum(majority);
    this.#inStep = new Quorum(majority);
  }

  get leader(): Leader | undefined {
    return this.#leader;
  }

  get log(): Log {
    return this.peer.disk.log;
  }

  get replica(): Replica {
    return this.peer.replica;
  }

  get lastCommitted(): number {
    return this.#leader?.lastCommitted ?? this.log.lastZxid;
  }

  start(): void {
    this.peer.listen('quorum', (link) => {
      this.#learners.add(new LearnerHandler(this, link));
    });
    this.#waitFor('a majority to agree on an epoch');
    if (this.#introduced.add(this.peer.id)) this.#agree();
  }

  stop(): void {
    this.#timer?.close();
    this.#leader?.stop();
    this.peer.listen('quorum', undefined);
    for (const learner of [...this.#learners]) learner.close();
  }

  introduced(learner: LearnerHandler, acceptedEpoch: number): void {
    if (this.#introduced.isReached) return learner.send({ kind: 'epoch', epoch: this.#epoch });
    this.#epoch = Math.max(this.#epoch, acceptedEpoch + 1);
    if (learner.isObserver) return;
    if (this.#introduced.add(learner.id)) this.#agree();
  }

  promised(learner: LearnerHandler, { currentEpoch, lastZxid }: History): void {
    if (this.#promised.isReached) return learner.synchronize(this.#epoch);
    const { disk, replica } = this.peer;
    const isAhead =
      currentEpoch > disk.currentEpoch ||
      (currentEpoch === disk.currentEpoch && lastZxid > replica.lastZxid);
    if (isAhead) return learner.close();
    if (currentEpoch === -1 || learner.isObserver) return;
    if (this.#promised.add(learner.id)) this.#synchronize();
  }

  inStep(learner: LearnerHandler): void {
    if (this.#leader) return learner.send({ kind: 'upToDate' });
    if (!learner.isObserver && this.#inStep.add(learner.id)) this.#begin();
  }

  acknowledged(learner: LearnerHandler, zxid: number): void {
    if (!learner.isObserver) this.#leader?.acknowledge(learner.id, zxid);
  }

  forwardTo(learner: LearnerHandler): void {
    if (learner.isObserver) {
      this.#observers.push(learner);
      return;
    }
    for (const entry of this.#leader?.outstanding ?? []) learner.send({ kind: 'propose', entry });
    this.#followers.push(learner);
  }

  propose(entry: Entry): void {
    for (const learner of this.#followers) learner.send({ kind: 'propose', entry });
  }

  commit(entry: Entry): void {
    for (const learner of this.#followers) learner.send({ kind: 'commit', zxid: entry.zxid });
    for (const learner of this.#observers) learner.send({ kind: 'inform', entry });
  }

  touch(sessionId: bigint, timeoutMs: number): boolean {
    return this.#leader?.touch(sessionId, timeoutMs) ?? false;
  }

  submitFor(learner: LearnerHandler, request: Request): void {
    this.#leader?.propose(request, learner);
  }

  syncFor(learner: LearnerHandler): void {
    this.#leader?.afterCommits(() => learner.send({ kind: 'synced' }));
  }

  revalidateFor(learner: LearnerHandler, sessionId: bigint, timeoutMs: number): void {
    const isValid = this.#leader?.claim(sessionId, timeoutMs, learner) ?? false;
    learner.send({ kind: 'revalidated', sessionId, isValid });
  }

  removed(learner: LearnerHandler): void {
    this.#learners.delete(learner);
    this.#followers = this.#followers.filter((one) => one !== learner);
    this.#observers = this.#observers.filter((one) => one !== learner);
  }

  #waitFor(what: string): void {
    const { process } = this.peer;
    this.#timer?.close();
    const giveUp = (): void => this.peer.look(`waited too long for ${what}`);
    this.#timer = process.addTimer(giveUp, this.initLimitMs);
  }

  #at(stage: LearnerHandler['stage']): LearnerHandler[] {
    return [...this.#learners].filter((learner) => learner.stage === stage);
  }

  #agree(): void {
    const { disk, id } = this.peer;
    disk.acceptedEpoch = this.#epoch;
    this.#waitFor('a majority to promise to follow');
    for (const learner of this.#at('introduced')) {
      learner.send({ kind: 'epoch', epoch: this.#epoch });
    }
    if (this.#promised.add(id)) this.#synchronize();
  }

  #synchronize(): void {
    const { disk, id } = this.peer;
    disk.currentEpoch = this.#epoch;
    this.#waitFor('a majority to be in step');
    for (const learner of this.#at('promised')) learner.synchronize(this.#epoch);
    if (this.#inStep.add(id)) this.#begin();
  }

  #begin(): void {
    const { peer } = this;
    const zxid = zxidOf(this.#epoch);
    peer.note(`leads epoch ${this.#epoch}`);
    peer.replica.begin(zxid);
    this.#leader = new Leader(peer, this, zxid, this.onCommit);
    peer.setVoteEpoch(this.#epoch);
    peer.clients.serve(this.#leader);
    this.#timer?.close();
    const halfTickMs = peer.options.tickTimeMs / 2;
    this.#timer = peer.process.addTimer(() => this.#onHalfTick(), halfTickMs, true);
    for (const learner of this.#at('in step')) learner.send({ kind: 'upToDate' });
  }

  #onHalfTick(): void {
    if (!this.#isTickSkipped) {
      this.tick++;
      if (this.#syncedCount() < majorityOf(this.peer.ensemble)) {
        return this.peer.look('a majority is not in step any more');
      }
    }
    this.#isTickSkipped = !this.#isTickSkipped;
    for (const learner of [...this.#learners]) learner.ping();
  }

  #syncedCount(): number {
    let count = 1;
    for (const { id, isSynced } of this.#learners) {
      if (isSynced && isVoter(this.peer.ensemble, id)) count++;
    }
    return count;
  }
}
