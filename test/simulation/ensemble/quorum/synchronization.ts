import type { Entry } from '../log/entry.js';
import type { ToLearner } from './messages.js';
import type { Peer } from '../peer.js';

/** What a learner receives before it serves: the state of its leader. */
export class Synchronization {
  /** Proposals that came meanwhile. */
  notLogged: Entry[] = [];
  committedZxid = 0;

  constructor(
    private readonly peer: Peer,
    private readonly epoch: number,
  ) {}

  /** Says when the learner has all that was committed, and when it may serve. */
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
