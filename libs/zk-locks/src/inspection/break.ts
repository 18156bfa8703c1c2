import { hasReturnCode, isAmbiguous, ReturnCode } from '../client/client-errors.js';
import { LockNotBrokenError } from '../lock-errors.js';
import type { BreakOptions } from '../lock.js';
import { czxidOf, type QueueNode } from '../queue/dialect.js';
import { breakRequest, isEphemeral } from '../queue/holder-data.js';
import type { Breaker } from '../telemetry/events.js';
import { nextEvent } from '../queue/next-event.js';
import type { QueueContext } from '../queue/lock-node.js';
import { ownHolder } from '../queue/lock-node.js';
import { Wait } from '../queue/wait.js';
import type { SessionLease } from '../session/session-lease.js';
import { describeHolders } from './held-by.js';
import { FoundNode } from './found-node.js';
import { type Contender, holdersOf } from './inspection.js';
import { MOST_HOLDERS } from './holder-report.js';

/** A process that hears of it gives way within a round trip. */
const LONGEST_ANSWER_MS = 1_000;

/** The number of nodes that are read together. */
const READ_TOGETHER = 100;

/** A lock that was taken away. */
export interface Broken {
  readonly key: string;
  readonly contender: Contender;
  readonly brokenBy: Breaker;
  /** Its process did not give way by itself. */
  readonly isForced: boolean;
}

/**
 * Takes a lock away from the contender with a fencing token: writes into its nodes who does it, waits
 * until its process has given way, and deletes the nodes where it does not. The name of a node is never
 * given twice, so nothing that came later can be deleted; {@link FoundNode} says how in `single-node`.
 *
 * After a downgrade or an upgrade, a node in the same place stands for the grant, with the token in its
 * holder data; while both are there, both are deleted.
 */
export class Breaking {
  /** Of the contender; undefined until they are looked for. */
  #nodes: readonly FoundNode[] | undefined;
  /** As it was seen first. */
  #found: FoundNode | undefined;
  /** A request that takes the lock away was sent: a contender that is gone from then on was broken. */
  #isBegun = false;
  #isForced = false;
  readonly #brokenBy: Breaker;

  constructor(
    private readonly context: QueueContext,
    private readonly key: string,
    private readonly directory: string,
    private readonly options: BreakOptions,
  ) {
    const { host, pid, application, since: at } = ownHolder(context.application, undefined);
    this.#brokenBy = { host, pid, ...(application !== undefined && { application }), at };
  }

  /**
   * Goes on where an earlier attempt was left without an answer.
   *
   * @throws {LockNotBrokenError} {@link LockDirectoryError} {@link ZooKeeperError}
   */
  async run(lease: SessionLease): Promise<Broken> {
    for (;;) {
      const nodes = (this.#nodes ??= await this.#find(lease));
      const [first] = nodes;
      if (!first) return this.#result(lease);
      const foreign = nodes.find(({ isForeign }) => isForeign);
      if (foreign && this.options.foreign !== true) {
        throw await this.#refusal(
          lease,
          `${foreign.node.name} ${foreign.whyForeign} To delete it anyway, pass \`foreign: true\`.`,
        );
      }
      this.#found ??= nodes.find(({ node }) => node.mode === 'write') ?? first;
      if (foreign || (await this.#tell(lease, nodes))) await this.#delete(lease, nodes);
      // A downgrade may have put another node in its place before its process was told.
      this.#nodes = undefined;
    }
  }

  /** Once no node of the contender is there. */
  async #result(lease: SessionLease): Promise<Broken> {
    const found = this.#found;
    if (!found) throw await this.#refusal(lease, 'no contender has that fencing token.');
    if (!this.#isBegun) throw await this.#refusal(lease, 'it was released a moment ago.');
    const { contender } = found;
    return { key: this.key, contender, brokenBy: this.#brokenBy, isForced: this.#isForced };
  }

  /** Resolves when the process has given way, or has had its time. False where nothing is left. */
  async #tell(lease: SessionLease, nodes: readonly FoundNode[]): Promise<boolean> {
    const told = nodes.map((found) =>
      this.#change(() => found.set(lease, breakRequest(found.content.data, this.#brokenBy))),
    );
    if (!(await Promise.all(told)).includes(true)) return false;
    return this.#outlasts(lease, nodes);
  }

  /** Whether one of them is there when the process has had its time. */
  async #outlasts(lease: SessionLease, nodes: readonly FoundNode[]): Promise<boolean> {
    const { session, connectTimeoutMs } = this.context;
    const timeoutMs = Math.min(LONGEST_ANSWER_MS, connectTimeoutMs / 2);
    const onTimeout = (): Error => new Error('the holder did not give way');
    const limits = { timeoutMs, answerWithinMs: timeoutMs, onTimeout, onAbort: onTimeout };
    using wait = new Wait(limits);
    for (const found of nodes) {
      let isThere = true as boolean;
      const setWatches = async (): Promise<boolean> => {
        isThere = await found.isThere(lease, { watch: true });
        return !isThere;
      };
      try {
        while (isThere) await nextEvent({ session, lease, wait, paths: [found.path], setWatches });
      } catch (error) {
        if (!wait.isOver) throw error;
        return true;
      }
    }
    return false;
  }

  async #delete(lease: SessionLease, nodes: readonly FoundNode[]): Promise<void> {
    const deleted = nodes.map((found) => this.#change(() => found.delete(lease)));
    this.#isForced ||= (await Promise.all(deleted)).includes(true);
  }

  /** False where the node is gone. */
  async #change(change: () => Promise<unknown>): Promise<boolean> {
    try {
      await change();
      this.#isBegun = true;
      return true;
    } catch (error) {
      if (hasReturnCode(error, ReturnCode.noNode)) return false;
      if (isAmbiguous(error)) this.#isBegun = true;
      throw error;
    }
  }

  /** The nodes of the contender with the token, none where there is no such contender. */
  async #find(lease: SessionLease): Promise<readonly FoundNode[]> {
    const sequence = this.#found?.node.sequence;
    const all = await this.#list(lease);
    // Whatever takes the place of a node has its number.
    const queue = sequence === undefined ? all : all.filter((node) => node.sequence === sequence);
    for (let from = 0; from < queue.length; from += READ_TOGETHER) {
      const found = await this.#read(lease, queue.slice(from, from + READ_TOGETHER));
      const match = found.find(({ contender }) => isGrantOf(contender, this.options.token));
      if (!match) continue;
      const { ephemeralOwner } = match.content.stat;
      const twins = queue.filter(
        ({ sequence, name }) => sequence === match.node.sequence && name !== match.node.name,
      );
      const others = await this.#read(lease, twins);
      const own = others.filter(({ content: { stat } }) => stat.ephemeralOwner === ephemeralOwner);
      return isEphemeral(match.content.stat) ? [match, ...own] : [match];
    }
    return [];
  }

  async #refusal(lease: SessionLease, problem: string): Promise<LockNotBrokenError> {
    const { key } = this;
    const holding = holdersOf(await this.#list(lease));
    const read = await this.#read(lease, holding.slice(0, MOST_HOLDERS));
    const holders = read.map(({ contender: { node, queuedAt: since, holder } }) => ({
      ...{ node, since, holder },
    }));
    const heldBy = describeHolders(holders, { total: holding.length });
    return new LockNotBrokenError(key, this.options.token, problem, holders, heldBy);
  }

  async #list(lease: SessionLease): Promise<readonly QueueNode[]> {
    const { session, lists, dialect } = this.context;
    const { directory } = this;
    await session.sync(lease, directory);
    return dialect.parse(directory, await lists.list(lease, directory));
  }

  /** Without those that are gone meanwhile. */
  async #read(lease: SessionLease, nodes: readonly QueueNode[]): Promise<readonly FoundNode[]> {
    const { context, directory } = this;
    const read = nodes.map((node) => FoundNode.read(context, lease, directory, node));
    return (await Promise.all(read)).filter((found) => found !== undefined);
  }
}

/** Calls that share a node have tokens of one czxid. */
function isGrantOf({ fencingToken }: Contender, token: bigint): boolean {
  return czxidOf(fencingToken) === czxidOf(token);
}
