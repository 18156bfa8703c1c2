import { zxidOf } from '../log/zxid.js';
import { Learner } from './learner.js';
import type { Link } from './link.js';
import type { Message, ToLearner } from './messages.js';
import type { Peer } from '../peer.js';
import { Synchronization } from './synchronization.js';

/** The number of attempts to reach the elected leader, with pauses in between. */
const TRIES = 5;
const RETRY_MS = 100;

/** A server that connects to its leader and then follows it. */
export class Learning {
  #link: Link | undefined;
  #learner: Learner | undefined;
  #isOver = false;
  #tries = 0;
  readonly #giveUpAt: number;
  #hasHeard = false;

  /** @param masterId the leader, or the follower that serves this observer in the leader's place */
  constructor(
    private readonly peer: Peer,
    private readonly masterId: number,
    private readonly name: 'follower' | 'observer',
  ) {
    this.#giveUpAt = peer.process.monotonic() + this.#initLimitMs;
  }

  get #initLimitMs(): number {
    const { ensemble, options } = this.peer;
    return ensemble.initLimit * options.tickTimeMs;
  }

  start(): void {
    const { peer, name } = this;
    const isObserver = name === 'observer';
    const isBehindFollower = isObserver && peer.ensemble.observers === 'of a follower';
    const link = peer.connect(this.masterId, isBehindFollower ? 'observers' : 'quorum');
    this.#link = link;
    this.#tries++;
    link.closeWhenSilentFor(this.#initLimitMs);
    link.onClosed = () => this.#onClosed();
    link.onMessage = (message: Message) => {
      this.#hasHeard = true;
      if (message.kind === 'epoch') this.#promise(link, message.epoch);
    };
    const { acceptedEpoch } = peer.disk;
    link.send({ kind: 'introduction', id: peer.id, isObserver, acceptedEpoch });
  }

  stop(): void {
    this.#isOver = true;
    this.#link?.close();
    this.#learner?.stop();
  }

  #onClosed(): void {
    if (this.#isOver) return;
    const { process } = this.peer;
    const isTooLate = this.#tries === TRIES || process.monotonic() >= this.#giveUpAt;
    if (this.#hasHeard || isTooLate) return this.peer.look('lost its leader');
    const retry = (): void => {
      if (!this.#isOver) this.start();
    };
    process.addTimer(retry, RETRY_MS);
  }

  #promise(link: Link, epoch: number): void {
    const { peer } = this;
    const { disk, replica } = peer;
    if (epoch < disk.acceptedEpoch) return peer.look('the leader has an old epoch');
    const currentEpoch = epoch === disk.acceptedEpoch ? -1 : disk.currentEpoch;
    disk.acceptedEpoch = epoch;
    const canTruncateTo = (zxid: number): boolean => disk.log.has(zxid);
    link.send({ kind: 'history', currentEpoch, lastZxid: replica.lastZxid, canTruncateTo });
    const synchronization = new Synchronization(peer, epoch);
    link.onMessage = (message: Message) => {
      const step = synchronization.receive(message as ToLearner);
      if (step === 'in step') {
        link.closeWhenSilentFor(peer.ensemble.syncLimit * peer.options.tickTimeMs);
        link.send({ kind: 'ack', zxid: zxidOf(epoch) });
      } else if (step === 'up to date') {
        this.#serve(link, epoch, synchronization);
      }
    };
  }

  #serve(link: Link, epoch: number, { notLogged, committedZxid }: Synchronization): void {
    const { peer } = this;
    const learner = new Learner(peer, link, this.name, epoch);
    this.#learner = learner;
    link.onMessage = (message: Message) => learner.receive(message as ToLearner);
    link.send({ kind: 'ack', zxid: zxidOf(epoch) });
    peer.setVoteEpoch(epoch);
    peer.note(`follows epoch ${epoch}`);
    peer.clients.serve(learner);
    for (const entry of notLogged) {
      learner.propose(entry);
      if (entry.zxid <= committedZxid) learner.commit(entry.zxid);
    }
  }
}
