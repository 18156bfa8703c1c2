import { Log } from './log.js';
import { Replica } from './replica.js';

/** What outlives a server's process. */
export class Disk {
  /** The latest epoch in which it promised to follow. */
  acceptedEpoch = 0;
  /** The latest epoch whose leader it was in step with. */
  currentEpoch = 0;
  readonly log = new Log();

  constructor(private readonly tickTimeMs: number) {}

  /** The state that a server finds as it starts. Entries that were never committed count, too. */
  load(): Replica {
    const replica = Replica.empty(this.tickTimeMs);
    replica.applyAll(this.log.after(0));
    return replica;
  }
}
