import type { Database } from '../../../libs/zk-embedded/src/database.js';
import type { Network } from '../network/network.js';
import { Pipe } from '../network/pipe.js';
import type { World } from '../world/world.js';
import type { Read } from './clients/request-line.js';
import { EnsembleView } from './ensemble-view.js';
import type { Notification } from './election/vote.js';
import type { Entry } from './log/entry.js';
import { Member } from './member.js';
import {
  type EnsembleOptions,
  type ResolvedOptions,
  resolveEnsemble,
  resolveMember,
} from './options.js';

/** Servers that replicate one log: the voters first, then the observer. */
export class Ensemble {
  readonly members: readonly Member[];
  readonly view: EnsembleView;
  readonly options: ResolvedOptions;
  readonly #votes = new Map<string, Pipe<Notification>>();
  readonly #listeners: ((entry: Entry, before: Database) => void)[] = [];
  readonly #readers: ((read: Read) => void)[] = [];

  constructor(
    readonly world: World,
    readonly network: Network,
    options: EnsembleOptions = {},
    onUncaught: (error: unknown) => void = raise,
  ) {
    this.options = resolveEnsemble(options);
    const { voters, observers } = this.options;
    const count = observers === 'none' ? voters : voters + 1;
    this.members = Array.from({ length: count }, (_, index) => {
      const id = index + 1;
      return new Member(id, `10.1.0.${id}`, resolveMember(options, index), this, onUncaught);
    });
    this.view = new EnsembleView(this);
  }

  start(): void {
    for (const member of this.members) member.start();
  }

  get connectString(): string {
    return this.members.map(({ host }) => `${host}:2181`).join(',');
  }

  /**
   * The server that leads with a majority in sync. A deposed leader that does not know of the later
   * epoch does not count.
   */
  get leader(): Member | undefined {
    const epoch = Math.max(...this.members.map(({ peer }) => peer.epoch));
    return this.members.find(
      ({ isRunning, peer }) => isRunning && peer.leader && peer.epoch === epoch,
    );
  }

  /** Ends a session through the leader, as an operator does. Returns false without a leader. */
  expireSession(id: bigint, onEnd: () => void = () => {}): boolean {
    const { leader } = this;
    if (!leader) return false;
    const { peer } = leader;
    peer.process.post(() => {
      if (!peer.leader) return;
      // Earlier writes of this session are executed first, so that `onEnd` sees them.
      if (peer.leader.isWriting(id))
        return this.world.after(1, () => this.expireSession(id, onEnd));
      onEnd();
      peer.leader.expire(id);
    });
    return true;
  }

  /**
   * Calls `listener` for each entry that a leader commits, in order, with the leader's state before
   * the entry. A replaced leader may commit its last entries late if acknowledgements arrive late.
   * The next leader has these entries, and may have executed more.
   */
  onCommit(listener: (entry: Entry, before: Database) => void): void {
    this.#listeners.push(listener);
  }

  committed(entry: Entry, before: Database): void {
    for (const listener of this.#listeners) listener(entry, before);
  }

  /** Calls a function for each read that a server executes for a client. */
  onRead(listener: (read: Read) => void): void {
    this.#readers.push(listener);
  }

  wasRead(read: Read): void {
    for (const listener of this.#readers) listener(read);
  }

  member(id: number): Member {
    return this.members[id - 1]!;
  }

  /** Sends a vote to another server. */
  notify(to: number, notification: Notification): void {
    const from = this.member(notification.from);
    const target = this.member(to);
    const way = `${from.id}>${to}`;
    let pipe = this.#votes.get(way);
    if (!pipe) {
      pipe = new Pipe<Notification>(this.network, from.host, target.host, (vote) => {
        const { peer } = target;
        peer.process.post(() => peer.receive(vote));
      });
      this.#votes.set(way, pipe);
    }
    pipe.send(notification);
  }
}

function raise(error: unknown): never {
  throw error;
}
