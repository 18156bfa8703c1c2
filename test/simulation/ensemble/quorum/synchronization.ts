import type { Entry } from '../log/entry.js';
import type { ToLearner } from './messages.js';
import type { Peer } from '../peer.js';

/** Receives the leader's state before a learner serves. */
export class Synchronization {
  /** Proposals that arrived during the synchronization. */
  notLogged: Entry[] = [];
  committedZxid = 0;

  constructor(
    private readonly peer: Peer,
    private readonly epoch: number,
  ) {}

  /** Reports when the learner has received all committed entries, and when it may serve. */
  receive(message: ToLearner): 'in step' | 'up to date' | undefined {
    const { peer } = this;
    switch (message.kind) {
      case 'truncate':
        this.#truncate(message.zxid);
        return undefined;
      case 'snapshot':
        peer.note('takes a snapshot');
        peer.replica = peer.disk.replaceBy(message.database);
        return undefined;
      case 'propose':
        this.notLogged.push(message.entry);
        return undefined;
      case 'inform':
        this.notLogged.push(message.entry);
        this.committedZxid = message.entry.zxid;
        return undefined;
      case 'commit':
        this.committedZxid = message.zxid;
        return undefined;
      case 'newLeader':
        this.#apply();
        return 'in step';
      case 'upToDate':
        return 'up to date';
      default:
        return undefined;
    }
  }

  #truncate(zxid: number): void {
    const { peer } = this;
    peer.disk.log.truncateTo(zxid);
    if (peer.replica.lastZxid > zxid) peer.replica = peer.disk.load();
  }

  #apply(): void {
    const { disk, replica } = this.peer;
    const committed = this.notLogged.filter(({ zxid }) => zxid <= this.committedZxid);
    this.notLogged = this.notLogged.slice(committed.length);
    for (const entry of committed) {
      disk.log.append(entry);
      replica.apply(entry);
      disk.noteApplied(replica);
    }
    disk.currentEpoch = this.epoch;
  }
}
