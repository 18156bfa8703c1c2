import type { Database } from '../../../../libs/zk-embedded/src/database.js';
import { Log } from './log.js';
import { Replica } from './replica.js';

interface Snapshot {
  readonly zxid: number;
  readonly database: Database;
}

/** How many entries are executed between two snapshots. */
const ENTRIES_A_SNAPSHOT = 1_000;

/** What outlives a server's process. */
export class Disk {
  /** The latest epoch in which it promised to follow. */
  acceptedEpoch = 0;
  /** The latest epoch whose leader it was in step with. */
  currentEpoch = 0;
  readonly log = new Log();
  /** The oldest first, at most two. */
  #snapshots: Snapshot[] = [];
  #sinceSnapshot = 0;

  constructor(private readonly tickTimeMs: number) {}

  /** The state that a server finds as it starts. Entries that were never committed count, too. */
  load(): Replica {
    const latest = this.#snapshots.at(-1);
    const replica = latest ? new Replica(latest.database.copy()) : Replica.empty(this.tickTimeMs);
    replica.applyAll(this.log.after(replica.lastZxid));
    return replica;
  }

  /** Keeps a snapshot from time to time, so that the log does not grow without end. */
  noteApplied({ database, lastZxid }: Replica): void {
    if (++this.#sinceSnapshot < ENTRIES_A_SNAPSHOT) return;
    this.#sinceSnapshot = 0;
    this.#snapshots.push({ zxid: lastZxid, database: database.copy() });
    if (this.#snapshots.length > 2) this.#snapshots.shift();
    if (this.#snapshots.length === 2) this.log.forgetTo(this.#snapshots[0]!.zxid);
  }

  canTruncateTo(zxid: number): boolean {
    return this.log.has(zxid);
  }

  truncateTo(zxid: number): void {
    this.log.truncateTo(zxid);
    this.#snapshots = this.#snapshots.filter((snapshot) => snapshot.zxid <= zxid);
  }

  /** Takes another server's state in place of its own. */
  replaceBy(database: Database): Replica {
    const zxid = Number(database.lastZxid);
    this.#snapshots = [{ zxid, database }];
    this.log.restartAt(zxid);
    return this.load();
  }

  /** As a crash does to what was not written to the end. */
  loseUnsafe(): void {
    this.log.loseUnsafe();
    const latest = this.#snapshots.at(-1);
    if (latest && latest.zxid > this.log.lastZxid) this.log.restartAt(latest.zxid);
  }
}
