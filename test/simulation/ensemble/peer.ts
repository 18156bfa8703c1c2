import type { SimulatedProcess } from '../world/simulated-process.js';
import { ClientPort } from './clients/client-port.js';
import { Election } from './election/election.js';
import type { Notification, PeerState, Vote } from './election/vote.js';
import type { Ensemble } from './ensemble.js';
import type { Disk } from './log/disk.js';
import type { Entry } from './log/entry.js';
import type { Replica } from './log/replica.js';
import { isVoter, type MemberOptions, type ResolvedOptions } from './options.js';
import { Leader } from './quorum/leader.js';
import { Leading } from './quorum/leading.js';
import { Learning } from './quorum/learning.js';
import { Link, type Listener } from './quorum/link.js';

/** Servers connect to the leader's quorum port. Observers may connect to a follower instead. */
export type ServerPort = 'quorum' | 'observers';

type Role = Leading | Learning;

const CLIENT_PORT = 2181;
/** The maximum time for which an observer waits after it has lost its leader. */
const OBSERVER_DELAY_MS = 200;

/** One run of a server, from its start to its crash. It looks for a leader, leads or follows. */
export class Peer {
  readonly ensemble: ResolvedOptions;
  readonly clients: ClientPort;
  replica!: Replica;
  #state: PeerState = 'looking';
  #vote: Vote | undefined;
  #role: Role | undefined;
  /** Set if this is the only server. */
  #alone: Leader | undefined;
  #mastersTried = 0;
  readonly #election: Election;
  readonly #listeners = new Map<ServerPort, Listener>();

  constructor(
    readonly id: number,
    readonly process: SimulatedProcess,
    readonly options: MemberOptions,
    readonly disk: Disk,
    private readonly all: Ensemble,
  ) {
    const ensemble = (this.ensemble = all.options);
    this.clients = new ClientPort(process, options, id, (read) => all.wasRead(read));
    this.#election = new Election({
      id,
      process,
      voters: Array.from({ length: ensemble.voters }, (_, index) => index + 1),
      send: (to, notification) => all.notify(to, notification),
      onElected: (vote) => this.#onElected(vote),
    });
    process.run(() => {
      this.replica = disk.load();
      this.clients.listen(all.network, CLIENT_PORT);
      if (ensemble.voters === 1 && ensemble.observers === 'none') this.#standAlone();
      else this.#look();
    });
  }

  get state(): PeerState {
    return this.#state;
  }

  /** Set while this server leads with a majority in sync. */
  get leader(): Leader | undefined {
    return this.#alone ?? (this.#role instanceof Leading ? this.#role.leader : undefined);
  }

  /** The epoch in which it leads or follows. */
  get epoch(): number {
    return this.disk.currentEpoch;
  }

  listenerOn(port: ServerPort): Listener | undefined {
    return this.#listeners.get(port);
  }

  listen(port: ServerPort, onLink: ((link: Link) => void) | undefined): void {
    if (onLink) this.#listeners.set(port, { process: this.process, onLink });
    else this.#listeners.delete(port);
  }

  connect(serverId: number, port: ServerPort): Link {
    const member = this.all.member(serverId);
    const find = (): Listener | undefined =>
      member.isRunning ? member.peer.listenerOn(port) : undefined;
    return Link.open(this.all.network, this.process, member.host, find);
  }

  note(text: string): void {
    this.process.world.note(`${this.process.name} ${text}`);
  }

  setVoteEpoch(epoch: number): void {
    if (this.#vote) this.#vote = { ...this.#vote, epoch };
  }

  /** Gives up its role and looks for a leader. Clients are disconnected. */
  look(reason: string): void {
    this.note(`looks for a leader: ${reason}`);
    const wasObserving = this.#state === 'observing';
    this.#state = 'looking';
    this.#role?.stop();
    this.#role = undefined;
    this.clients.stopServing();
    // Like ZooKeeper, applies everything in the log, whether or not it was committed.
    this.replica.applyAll(this.disk.log.after(this.replica.lastZxid));
    if (!wasObserving) return this.#look();
    const ms = this.process.random.between(0, OBSERVER_DELAY_MS);
    this.process.addTimer(() => this.#look(), ms);
  }

  /** Resets the connection to the leader. The leader may not notice. */
  loseLeader(): void {
    if (this.#role instanceof Learning) this.look('lost its leader');
  }

  receive(notification: Notification): void {
    const isLooking = this.#state === 'looking';
    const isFromVoter = isVoter(this.ensemble, notification.from);
    if (isLooking && isFromVoter) return this.#election.receive(notification);
    if (notification.state !== 'looking' && isFromVoter) return;
    const vote = isLooking ? this.#election.vote : this.#vote;
    if (!vote) return;
    const answer = { ...vote, state: this.#state, from: this.id };
    this.all.notify(notification.from, answer);
  }

  #look(): void {
    this.#election.begin({ zxid: this.replica.lastZxid, epoch: this.disk.currentEpoch });
  }

  /** A leader executes each entry right after this. */
  readonly #onCommit = (entry: Entry): void => {
    this.all.committed(entry, this.replica.database);
  };

  #onElected(vote: Vote): void {
    this.#vote = vote;
    if (vote.leader === this.id) {
      this.#state = 'leading';
      this.#role = new Leading(this, this.#onCommit);
    } else {
      this.#state = isVoter(this.ensemble, this.id) ? 'following' : 'observing';
      const name = this.#state === 'following' ? 'follower' : 'observer';
      this.#role = new Learning(this, this.#masterOf(vote.leader), name);
    }
    this.#role.start();
  }

  /** The server to connect to: observers may alternate between the followers. */
  #masterOf(leader: number): number {
    const { observers, voters } = this.ensemble;
    if (this.#state !== 'observing' || observers !== 'of a follower') return leader;
    return 1 + (this.#mastersTried++ % voters);
  }

  #standAlone(): void {
    this.#state = 'leading';
    const { lastZxid } = this.replica;
    this.#alone = new Leader(this, undefined, lastZxid, this.#onCommit);
    this.clients.serve(this.#alone);
  }
}
