import { bringIntoStep, type History, type Source } from './bring-into-step.js';
import type { Link } from './link.js';
import type { FromLearner, Message, ToLearner } from './messages.js';
import type { Request } from '../log/entry.js';

/** The leader, or a follower that serves observers in its place. */
export interface LearnerMaster extends Source {
  readonly initLimitMs: number;
  readonly syncLimitMs: number;
  /** The number of ticks so far. */
  readonly tick: number;
  readonly initLimit: number;
  readonly syncLimit: number;
  introduced(learner: LearnerHandler, acceptedEpoch: number): void;
  promised(learner: LearnerHandler, history: History): void;
  inStep(learner: LearnerHandler): void;
  acknowledged(learner: LearnerHandler, zxid: number): void;
  touch(sessionId: bigint, timeoutMs: number): boolean;
  submitFor(learner: LearnerHandler, request: Request): void;
  syncFor(learner: LearnerHandler): void;
  revalidateFor(learner: LearnerHandler, sessionId: bigint, timeoutMs: number): void;
  removed(learner: LearnerHandler): void;
}

type Stage = 'connected' | 'introduced' | 'promised' | 'synchronizing' | 'in step';

/** A follower or observer, as its leader sees it. */
export class LearnerHandler {
  id = 0;
  isObserver = false;
  history: History | undefined;
  #stage: Stage = 'connected';
  #ackDeadline: number;

  constructor(
    private readonly master: LearnerMaster,
    private readonly link: Link,
  ) {
    this.#ackDeadline = master.tick + master.initLimit + master.syncLimit;
    link.closeWhenSilentFor(master.initLimitMs);
    link.onMessage = (message: Message) => this.#receive(message as FromLearner);
    link.onClosed = () => master.removed(this);
  }

  get stage(): Stage {
    return this.#stage;
  }

  /** Whether the learner was heard within the limit. */
  get isSynced(): boolean {
    return !this.link.isClosed && this.master.tick <= this.#ackDeadline;
  }

  send(message: ToLearner): void {
    this.link.send(message);
  }

  close(): void {
    this.link.close();
    this.master.removed(this);
  }

  /** Continues after a majority has agreed on the epoch. */
  synchronize(epoch: number): void {
    this.#stage = 'synchronizing';
    bringIntoStep(this, this.history!, this.master);
    this.send({ kind: 'newLeader', epoch });
  }

  ping(): void {
    if (this.#stage === 'synchronizing' || this.#stage === 'in step') this.send({ kind: 'ping' });
  }

  #receive(message: FromLearner): void {
    const { master } = this;
    if (this.#stage === 'in step') this.#ackDeadline = master.tick + master.syncLimit;
    switch (message.kind) {
      case 'introduction':
        this.#stage = 'introduced';
        ({ id: this.id, isObserver: this.isObserver } = message);
        return master.introduced(this, message.acceptedEpoch);
      case 'history':
        this.#stage = 'promised';
        this.history = message;
        return master.promised(this, message);
      case 'ack':
        return this.#acknowledge(message.zxid);
      case 'touched':
        for (const [id, timeoutMs] of message.sessions) master.touch(id, timeoutMs);
        return;
      case 'request':
        return master.submitFor(this, message.request);
      case 'sync':
        return master.syncFor(this);
      case 'revalidate':
        return master.revalidateFor(this, message.sessionId, message.timeoutMs);
    }
  }

  #acknowledge(zxid: number): void {
    if (this.#stage !== 'synchronizing') return this.master.acknowledged(this, zxid);
    this.#stage = 'in step';
    this.link.closeWhenSilentFor(this.master.syncLimitMs);
    this.master.inStep(this);
  }
}
