import type { Database } from '../../../libs/zk-embedded/src/database.js';
import type { Session } from '../../../libs/zk-embedded/src/sessions/session-table.js';
import type { Znode } from '../../../libs/zk-embedded/src/tree/znode.js';
import type { Ensemble } from './ensemble.js';
import type { Member } from './member.js';

export interface EphemeralView {
  readonly path: string;
  readonly sessionId: bigint;
}

/** Reads the state of all simulated servers directly, without a connection. */
export class EnsembleView {
  constructor(private readonly ensemble: Ensemble) {}

  /** The leader's database. Without a leader, that of the server that has executed the most. */
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

  /** The names of the children, or an empty list if there is no such node. */
  children(path: string): readonly string[] {
    return [...(this.find(path)?.children ?? [])];
  }

  /** All nodes below a path, parents before their children. */
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

  /** The number of watches on all servers. A persistent watch counts twice. */
  get watches(): number {
    const running = this.ensemble.members.filter(({ isRunning }) => isRunning);
    return running.reduce(
      (sum, { replica: { watches } }) => sum + watches.data.size + watches.children.size,
      0,
    );
  }
}
