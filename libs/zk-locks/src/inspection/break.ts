import { hasReturnCode, isConnectionError, ReturnCode } from '../client/client-errors.js';
import { join } from '../client/node-path.js';
import type { NodeContent } from '../client/zookeeper-client.js';
import { LockNotBrokenError } from '../lock-errors.js';
import type { BreakOptions } from '../lock.js';
import { czxidOf, type QueueNode } from '../queue/dialect.js';
import { breakRequest, isEphemeral } from '../queue/holder-data.js';
import type { Breaker } from '../telemetry/events.js';
import { nextEvent } from '../queue/next-event.js';
import type { QueueContext } from '../queue/lock-node.js';
import { ownHolder } from '../queue/lock-node.js';
import { Wait } from '../queue/wait.js';
import { orIfGone } from '../session/session-requests.js';
import type { SessionLease } from '../session/session-lease.js';
import { describeHolders } from './held-by.js';
import { type Contender, contenderOf, holdersOf } from './inspection.js';
import { MOST_HOLDERS } from './holder-report.js';

/** A process that hears of it gives way within a round trip. */
const LONGEST_ANSWER_MS = 1_000;

/** So many nodes are read together. */
const READ_TOGETHER = 100;

/** A lock that was taken away. */
export interface Broken {
  readonly key: string;
  readonly contender: Contender;
  readonly brokenBy: Breaker;
  /** Its process did not give way by itself. */
  readonly isForced: boolean;
}

interface Found {
  readonly node: QueueNode;
  readonly content: NodeContent;
  readonly contender: Contender;
}

/**
 * Takes a lock away from the contender with a fencing token: writes into its nodes who does it, waits
 * until its process has given way, and deletes the nodes where it does not. The name of a node is never
 * given twice, so nothing that came later can be deleted.
 *
 * After a downgrade or an upgrade, a node in the same place stands for the grant, with the token in its
 * holder data; while both are there, both are deleted.
 */
export class Breaking {
  /** Of the contender; undefined until it is found. */
  #nodes: readonly Found[] | undefined;
  /** Something was sent that takes the lock away: whoever is gone from then on was broken. */
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
    const nodes = (this.#nodes ??= await this.#find(lease));
    const [first] = nodes;
    if (!first) throw await this.#refusal(lease, 'no contender has that fencing token.');
    const isForeign = nodes.some(({ contender }) => !contender.holder);
    if (isForeign && this.options.foreign !== true) {
      throw await this.#refusal(
        lease,
        `${first.node.name} has no holder data of this library; it is of Curator, of kazoo, or made by hand. To delete it all the same, pass \`foreign: true\`.`,
      );
    }
    let isThere = true;
    if (!isForeign) isThere = await this.#tell(lease, nodes);
    if (isThere) isThere = await this.#delete(lease, nodes);
    if (!isThere && !this.#isBegun) {
      this.#nodes = [];
      throw await this.#refusal(lease, 'it was released a moment ago.');
    }
    const { contender } = nodes.find(({ node }) => node.mode === 'write') ?? first;
    return { key: this.key, contender, brokenBy: this.#brokenBy, isForced: this.#isForced };
  }

  /** Resolves when the process has given way, or has had its time. False where nothing is left. */
  async #tell(lease: SessionLease, nodes: readonly Found[]): Promise<boolean> {
    const told = nodes.flatMap(({ node, contender: { holder } }) => {
      const data = holder && breakRequest(holder, this.#brokenBy);
      return data
        ? [this.#change(() => this.context.session.set(lease, this.#path(node), data))]
        : [];
    });
    if (!(await Promise.all(told)).includes(true)) return false;
    return this.#outlasts(lease, nodes);
  }

  /** Whether one of them is there when the process has had its time. */
  async #outlasts(lease: SessionLease, nodes: readonly Found[]): Promise<boolean> {
    const { session, connectTimeoutMs } = this.context;
    const timeoutMs = Math.min(LONGEST_ANSWER_MS, connectTimeoutMs / 2);
    const onTimeout = (): Error => new Error('the holder did not give way');
    const limits = { timeoutMs, answerWithinMs: timeoutMs, onTimeout, onAbort: onTimeout };
    using wait = new Wait(limits);
    for (const { node } of nodes) {
      const path = this.#path(node);
      let isThere = true as boolean;
      const setWatches = async (): Promise<boolean> => {
        const content = await orIfGone(session.get(lease, path, { watch: true }), undefined);
        isThere = content !== undefined;
        return !isThere;
      };
      try {
        while (isThere) await nextEvent({ session, lease, wait, paths: [path], setWatches });
      } catch (error) {
        if (!wait.isOver) throw error;
        return true;
      }
    }
    return false;
  }

  /** Whether any of them was there. */
  async #delete(lease: SessionLease, nodes: readonly Found[]): Promise<boolean> {
    const { session } = this.context;
    const deleted = nodes.map(({ node }) =>
      this.#change(() => session.delete(lease, this.#path(node))),
    );
    const wasThere = (await Promise.all(deleted)).includes(true);
    this.#isForced ||= wasThere;
    return wasThere;
  }

  /** False where the node is gone. */
  async #change(change: () => Promise<void>): Promise<boolean> {
    try {
      await change();
      this.#isBegun = true;
      return true;
    } catch (error) {
      if (hasReturnCode(error, ReturnCode.noNode)) return false;
      if (isConnectionError(error) && error.outcome === 'ambiguous') this.#isBegun = true;
      throw error;
    }
  }

  /** The nodes of the contender with the token, none where there is no such contender. */
  async #find(lease: SessionLease): Promise<readonly Found[]> {
    const queue = await this.#list(lease);
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
  async #read(lease: SessionLease, nodes: readonly QueueNode[]): Promise<readonly Found[]> {
    const { session } = this.context;
    const read = nodes.map(async (node): Promise<Found | undefined> => {
      const content = await orIfGone(session.get(lease, this.#path(node)), undefined);
      return content && { node, content, contender: contenderOf(node, content) };
    });
    return (await Promise.all(read)).filter((found) => found !== undefined);
  }

  #path({ name }: QueueNode): string {
    return join(this.directory, name);
  }
}

/** Calls that share a node have tokens of one czxid. */
function isGrantOf({ fencingToken }: Contender, token: bigint): boolean {
  return czxidOf(fencingToken) === czxidOf(token);
}
