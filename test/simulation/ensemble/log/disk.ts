import type { Database } from '../../../../libs/zk-embedded/src/database.js';
import { Log } from './log.js';
import { Replica } from './replica.js';

/** How many entries are executed between two snapshots. Who is further behind gets a snapshot. */
const ENTRIES_A_SNAPSHOT = 100;

/** What outlives a server's process. */
export class Disk {
  /** The latest epoch in which it promised to follow. */
  acceptedEpoch = 0;
  /** The latest epoch whose leader it was in step with. */
  currentEpoch = 0;
  readonly log = new Log();
  /** How many snapshots of leaders it has taken over. */
  taken = 0;
  #snapshot: Database | undefined;
  #sinceSnapshot = 0;

  constructor(private readonly tickTimeMs: number) {}

  /** The state that a server finds as it starts. Entries that were never committed count, too. */
  load(): Replica {
    const replica = this.#snapshot
      ? new Replica(this.#snapshot.copy())
      : Replica.empty(this.tickTimeMs);
    replica.applyAll(this.log.after(replica.lastZxid));
    return replica;
  }

  /** Keeps a snapshot from time to time, and the entries since the one before. All of them are committed. */
  noteApplied({ database }: Replica): void {
    if (++this.#sinceSnapshot < ENTRIES_A_SNAPSHOT) return;
    this.#sinceSnapshot = 0;
    this.log.forgetTo(Number(this.#snapshot?.lastZxid ?? 0n));
    this.#snapshot = database.copy();
  }

  /** Takes another server's state in place of its own. */
  replaceBy(database: Database): Replica {
    this.taken++;
    this.#snapshot = database;
    this.log.restartAt(Number(database.lastZxid));
    return this.load();
  }

  /** Is empty from now on. */
  lose(): void {
    this.acceptedEpoch = this.currentEpoch = this.#sinceSnapshot = 0;
    this.#snapshot = undefined;
    this.log.restartAt(0);
  }
}
