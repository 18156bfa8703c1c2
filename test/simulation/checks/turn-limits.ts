import { czxidOf, MAX_GRANTS } from '../../../libs/zk-locks/src/nodes/fencing-token.js';
import type { JournalEntry, LockKind } from '../../workers/soak/protocol.js';
import type { Znode } from '../../../libs/zk-embedded/src/tree/znode.js';
import type { Member } from '../ensemble/member.js';
import type { SimulatedReplica } from '../story/replica.js';

type Entered = Extract<JournalEntry, { readonly type: 'entered' }>;

/** Lock kinds whose calls enter at the moment of their grant. */
const AT_ONCE: readonly LockKind[] = ['write', 'read', 'downgrade'];
/** Timers count whole milliseconds, and clocks run at different rates. */
const TOLERANCE_MS = 2;
/**
 * Maximum age of the news on which a process grants a lock without a request: docs/decisions/0025.
 */
const NEWS_MS = 1_000;
const STEP_MS = 100;

/** The first grant under a node. */
interface Beginning {
  readonly at: number;
  readonly member: Member | undefined;
  /** The last write that this server had executed at that time. */
  readonly zxid: number;
}

/**
 * Calls of one process pass a lock on to each other within limits. A process that keeps its locks
 * may exceed these limits while its server has no node of another session. Nodes that existed when
 * the first of these calls got the lock were in its list; later ones become known after `NEWS_MS`
 * at the latest.
 */
export class TurnLimits {
  readonly #beginnings = new Map<string, Beginning>();
  /** What each server had executed at earlier times, oldest first. */
  #executed: { readonly at: number; readonly zxids: ReadonlyMap<Member, number> }[] = [];

  constructor(
    private readonly members: readonly Member[],
    private readonly report: (promise: string, message: string) => void,
  ) {}

  /** Records what the servers have executed. Call it often. */
  note(now: number): void {
    if (now - (this.#executed.at(-1)?.at ?? -Infinity) < STEP_MS) return;
    const zxids = new Map(this.members.map((one) => [one, one.replica.lastZxid]));
    this.#executed.push({ at: now, zxids });
    const old = this.#executed.findLastIndex(({ at }) => at <= now - NEWS_MS);
    if (old > 0) this.#executed = this.#executed.slice(old);
  }

  onEntered(replica: SimulatedReplica, entry: Entered): void {
    const { cohort } = replica.plan.options;
    const { key, kind, token, queued } = entry;
    if (typeof cohort !== 'object' || token === undefined || !queued) return;
    const { process, name } = replica;
    const { now } = process.world;
    const member = this.members.find(({ host }) => host === replica.server);
    const node = czxidOf(BigInt(token));
    const index = Number(BigInt(token) % BigInt(MAX_GRANTS));
    const turn = `${name} ${key} ${String(node)}`;
    // The process may have been stopped between the grant and this entry.
    const isLate = !AT_ONCE.includes(kind) || (process.stalls.at(-1)?.at ?? -Infinity) >= now - 1;
    if (index === 0 && !isLate) {
      this.#beginnings.set(turn, { at: now, member, zxid: member?.replica.lastZxid ?? 0 });
    }
    const began = this.#beginnings.get(turn);
    if (!began || index === 0 || isLate) return;
    const { maxHandovers = MAX_GRANTS, maxTenureMs = Infinity, keepMs = 0 } = cohort;
    const isWithin = index <= maxHandovers && now - began.at <= maxTenureMs + TOLERANCE_MS;
    if (isWithin || (keepMs > 0 && !this.#hasHeardOfOthers(member, node, { key, began, now })))
      return;
    const others = keepMs > 0 ? ', beside nodes of others' : '';
    const message = `grant ${index} under a node of ${name} for "${key}" came ${(now - began.at).toFixed(0)} ms after the first one${others}: ${maxHandovers} hand-overs in ${maxTenureMs} ms are allowed`;
    this.report('tenure', message);
  }

  #hasHeardOfOthers(
    member: Member | undefined,
    own: bigint,
    { key, began, now }: { readonly key: string; readonly began: Beginning; readonly now: number },
  ): boolean {
    if (!member) return false;
    const nodes = contendersIn(member, key);
    const session = sessionOf(nodes.find(({ czxid }) => czxid === own));
    if (session === undefined) return false;
    const listed = began.member === member ? began.zxid : 0;
    const [oldest] = this.#executed;
    const isOld = oldest !== undefined && oldest.at <= now - NEWS_MS;
    const told = isOld ? (oldest.zxids.get(member) ?? 0) : 0;
    const since = BigInt(Math.max(listed, told));
    return nodes.some((one) => one.czxid <= since && sessionOf(one) !== session);
  }
}

function contendersIn({ replica: { database } }: Member, key: string): readonly Readonly<Znode>[] {
  const { tree } = database;
  const directory = `/locks/${key}`;
  const names = [...(tree.find(directory)?.children ?? [])];
  return names.map((name) => tree.find(`${directory}/${name}`)!);
}

function sessionOf(node: Readonly<Znode> | undefined): bigint | undefined {
  return node?.owner.kind === 'session' ? node.owner.sessionId : undefined;
}
