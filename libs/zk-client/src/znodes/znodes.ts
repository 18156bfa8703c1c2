import type { UserPaths } from './transaction-options.js';
import type { Session } from '../session/session.js';
import { Calls } from './call.js';
import { EphemeralNodes } from './ephemeral-nodes.js';
import { LastingWatches } from './lasting-watches.js';
import { Traffic } from './traffic.js';

/** What users have in ZooKeeper in addition to their locks. Exposed through {@link ZkClient}. */
export class Znodes {
  readonly calls: Calls;
  readonly ephemerals: EphemeralNodes;
  readonly watches: LastingWatches;

  constructor(
    readonly session: Session,
    readonly userPaths: UserPaths,
    connectTimeoutMs: number,
  ) {
    const traffic = new Traffic();
    this.ephemerals = new EphemeralNodes(session);
    this.calls = new Calls(session, traffic, connectTimeoutMs);
    this.watches = new LastingWatches(session, traffic);
  }

  close(): void {
    this.calls.close();
    this.watches.close();
  }
}
