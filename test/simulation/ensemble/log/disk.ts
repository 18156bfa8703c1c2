import type { Database } from '../../../../libs/zk-embedded/src/database.js';
import { Log } from './log.js';
import { Replica } from './replica.js';

/** The number of entries between two snapshots. A server further behind is sent a snapshot. */
const ENTRIES_A_SNAPSHOT = 100;

/** The state of a server that outlives its process. */
export class Disk {
  /** The latest epoch that the server has promised to follow. */
  acceptedEpoch = 0;
  /** The latest epoch in which the server was in sync with the leader. */
  currentEpoch = 0;
  readonly log = new Log();
  /** The number of snapshots received from leaders. */
  taken = 0;
  #snapshot: Database | undefined;
  #sinceSnapshot = 0;

  constructor(private readonly tickTimeMs: number) {}

  /**
   * Restores the state with which a server starts. This includes entries that were never committed.
   */
  load(): Replica {
    const replica = this.#snapshot
      ? new Replica(this.#snapshot.copy())
      : Replica.empty(this.tickTimeMs);
    replica.applyAll(this.log.after(replica.lastZxid));
    return replica;
  }

  /** Takes a snapshot at intervals, and keeps the entries since the previous one. */
  noteApplied({ database }: Replica): void {
    if (++this.#sinceSnapshot < ENTRIES_A_SNAPSHOT) return;
    this.#sinceSnapshot = 0;
    this.log.forgetTo(Number(this.#snapshot?.lastZxid ?? 0n));
    this.#snapshot = database.copy();
  }

  /** Replaces the state by that of another server. */
  replaceBy(database: Database): Replica {
    this.taken++;
    this.#snapshot = database;
    this.log.restartAt(Number(database.lastZxid));
    return this.load();
  }

  /** Erases everything. */
  lose(): void {
    this.acceptedEpoch = this.currentEpoch = this.#sinceSnapshot = 0;
    this.#snapshot = undefined;
    this.log.restartAt(0);
  }
}
