import type { Database } from '../../../libs/zk-embedded/src/database.js';
import type { Session } from '../../../libs/zk-embedded/src/sessions/session-table.js';
import type { Znode } from '../../../libs/zk-embedded/src/tree/znode.js';
import type { Ensemble } from './ensemble.js';
import type { Member } from './member.js';

export interface EphemeralView {
  readonly path: string;
  readonly sessionId: bigint;
}

/** The god's view of the simulated world: the state of all servers, without a connection. */
export class EnsembleView {
  constructor(private readonly ensemble: Ensemble) {}

  /** Of the leader; without one, of the server that has executed most of its log. */
  get database(): Database {
    const { leader, members } = this.ensemble;
    const most = (one: Member, other: Member): Member =>
      other.replica.lastZxid > one.replica.lastZxid ? other : one;
    if (leader) return leader.replica.database;
    const running = members.filter(({ isRunning }) => isRunning);
    return (running.length > 0 ? running : members).reduce(most).replica.database;
  }

  find(path: string): Readonly<Znode> | undefined {
    return this.database.tree.find(path);
  }

  /** The names of the children; none where there is no such node. */
  children(path: string): readonly string[] {
    return [...(this.find(path)?.children ?? [])];
  }

  /** All nodes below a path, the parents before their children. */
  *below(path: string): Generator<Readonly<Znode>> {
    for (const name of this.children(path)) {
      const child = path === '/' ? `/${name}` : `${path}/${name}`;
      yield this.find(child)!;
      yield* this.below(child);
    }
  }

  get ephemerals(): readonly EphemeralView[] {
    const found: EphemeralView[] = [];
    for (const [sessionId, paths] of this.database.tree.ephemerals()) {
      for (const path of paths) found.push({ path, sessionId });
    }
    return found;
  }

  get sessions(): readonly Session[] {
    return [...this.database.sessions];
  }

  /** Watches on all servers. A persistent one counts twice. */
  get watches(): number {
    const running = this.ensemble.members.filter(({ isRunning }) => isRunning);
    return running.reduce(
      (sum, { replica: { watches } }) => sum + watches.data.size + watches.children.size,
      0,
    );
  }
}
