import { parseId } from '../../../libs/zk-embedded/src/format-id.js';
import { leaseMsLeft } from '../../../libs/zk-locks/src/inspect/lease-ms-left.js';
import type { JournalEntry } from '../../workers/soak/protocol.js';
import type { Ensemble } from '../ensemble/ensemble.js';
import type { SimulatedReplica } from '../story/replica.js';

/** Servers' timers count whole milliseconds. */
const TOLERANCE_MS = 1;

/**
 * While a lock is held, its process claims that its session lives for some minimum time: the margin
 * that the caller asked for, or what the session reports. The servers must not be able to end the
 * session earlier, whatever messages are lost from now on. The present leader can end it one
 * timeout after it last heard from the client. The next leader can end it one timeout (that of the
 * session's creation) after its own start.
 */
export class Leases {
  readonly #margins = new Map<string, number>();
  /** Sessions that an operator ends, which can happen at any time. */
  readonly #ended = new Set<bigint>();

  constructor(
    private readonly servers: Pick<Ensemble, 'leader' | 'view'>,
    private readonly report: (promise: string, message: string) => void,
  ) {}

  /** An operator is about to end this session. */
  ended(sessionId: bigint): void {
    this.#ended.add(sessionId);
  }

  /** Call this in the process's own turn, so that its clock shows the present time. */
  onEntry({ name, process, locks }: SimulatedReplica, entry: JournalEntry): void {
    // An earlier claim cannot be compared with the present state of the servers.
    if ((entry.type !== 'entered' && entry.type !== 'held') || entry.at !== process.world.now)
      return;
    const grant = `${name}#${entry.grant}`;
    if (entry.type === 'entered' && entry.marginMs !== undefined) {
      this.#margins.set(grant, entry.marginMs);
    }
    const { state } = locks.session.snapshot;
    if (!('sessionId' in state)) return;
    const id = parseId(state.sessionId);
    if (this.#ended.has(id)) return;
    const saidMs = Math.max(leaseMsLeft(locks), this.#margins.get(grant) ?? 0);
    const leastMs = this.#msLeft(id);
    if (leastMs >= saidMs - TOLERANCE_MS) return;
    const message = `${grant} is held, and for ${saidMs.toFixed(0)} ms at least; the servers may end its session in ${leastMs.toFixed(0)} ms`;
    this.report('lease', message);
  }

  /** The time for which the servers certainly keep the session. */
  #msLeft(id: bigint): number {
    const { leader, view } = this.servers;
    const created = view.database.sessions.find(id);
    if (!created) return 0;
    const { createdTimeoutMs } = created;
    const byLeader = leader?.peer.leader?.tracker.msLeft(id) ?? Infinity;
    return Math.min(byLeader, createdTimeoutMs);
  }
}
