import { LockNotBrokenError } from '../lock/lock-errors.js';
import type { BreakOptions } from '../lock/lock.js';
import type { QueueNode } from '../nodes/dialect.js';
import { amendData, ownHolder } from '../nodes/holder-data.js';
import { nameLock } from '../lock/lock-kind.js';
import { publish } from '../telemetry/channels.js';
import type { Breaker } from '../lock/holder.js';
import { nameHolder } from '../process-name.js';
import { nextEvent } from '../queue/next-event.js';
import type { QueueContext } from '../queue/lock-node.js';
import {
  ageText,
  hasReturnCode,
  isAmbiguous,
  ReturnCode,
  type SessionLease,
  shortText,
  Wait,
  type ZkLockLogger,
} from 'zk-client/recipes';
import { describeHolders } from './held-by.js';
import { FoundNode } from './found-node.js';
import { asHolder, type Contender, holdersOf } from './inspection.js';
import { MOST_HOLDERS } from './holder-report.js';

/**
 * A process that hears of it gives way within a round trip. One that hears nothing grants the lock from
 * memory for almost as long (docs/decisions/0025-fresh-news.md).
 */
export const ANSWER_MS = 1_000;

const READ_TOGETHER = 100;

export interface Broken {
  readonly key: string;
  readonly contender: Contender;
  readonly brokenBy: Breaker;
  /** Whether the node had to be deleted because its process did not give way. */
  readonly isForced: boolean;
}

/**
 * Takes a lock away from the contender with a given node and fencing token: writes the breaker's
 * name into its nodes, waits until its process has given way, and deletes the nodes if it does not.
 * Node names are never reused, so nothing that came later can be deleted; {@link FoundNode}
 * explains how this works in `single-node`.
 *
 * After a downgrade or an upgrade, another node in the same place stands for the grant, with the
 * token in its holder data. While both nodes exist, both are deleted. Any client may write such
 * data and create a node with any number, but none can forge a session: nodes with the same number
 * and the same session belong to one contender.
 */
export class Breaking {
  /** The contender's nodes; undefined until they are looked for. */
  #nodes: readonly FoundNode[] | undefined;
  /** The node that was named, as it was first seen. */
  #found: FoundNode | undefined;
  /**
   * Whether a request that takes the lock away was sent: if the contender is gone after that, it
   * was broken.
   */
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
   * Continues an earlier attempt that got no answer.
   *
   * @throws the error of `wait` once that is over
   * @throws {LockNotBrokenError} {@link LockDirectoryError} {@link ZooKeeperError}
   */
  async run(lease: SessionLease, wait: Wait): Promise<Broken> {
    for (;;) {
      const nodes = (this.#nodes ??= await this.#find(lease));
      if (nodes.length === 0) return this.#result(lease);
      const foreign = nodes.find(({ isForeign }) => isForeign);
      if (foreign && this.options.foreign !== true) {
        throw await this.#refusal(
          lease,
          `${foreign.node.name} ${foreign.whyForeign} To delete it anyway, pass \`foreign: true\`.`,
        );
      }
      wait.throwIfOver();
      const isThere = foreign !== undefined || (await this.#tell(lease, nodes, wait));
      wait.throwIfOver();
      if (isThere) await this.#delete(lease, nodes, wait);
      // A downgrade may have put another node in its place before its process was notified.
      this.#nodes = undefined;
    }
  }

  /** Called when no node of the contender exists any more. */
  async #result(lease: SessionLease): Promise<Broken> {
    const found = this.#found;
    if (!found) {
      throw await this.#refusal(lease, `there is no node ${shortText(this.options.node)} now.`);
    }
    if (!this.#isBegun) throw await this.#refusal(lease, 'it was released a moment ago.');
    const { contender } = found;
    return { key: this.key, contender, brokenBy: this.#brokenBy, isForced: this.#isForced };
  }

  /**
   * Resolves when the process has given way, or its time is over. False if nothing is left to
   * delete.
   */
  async #tell(lease: SessionLease, nodes: readonly FoundNode[], wait: Wait): Promise<boolean> {
    const told = nodes.map((found) => {
      const data = Buffer.from(amendData(found.content.data, { brokenBy: this.#brokenBy }));
      return this.#change(() => found.set(lease, data, wait));
    });
    if (!(await Promise.all(told)).includes(true)) return false;
    return this.#outlasts(lease, nodes);
  }

  /** Whether one of the nodes still exists when the process's time is over. */
  async #outlasts(lease: SessionLease, nodes: readonly FoundNode[]): Promise<boolean> {
    const { session } = this.context;
    const onTimeout = (): Error => new Error('the holder did not release the lock');
    using wait = new Wait({ timeoutMs: ANSWER_MS, onTimeout, onAbort: onTimeout });
    for (const found of nodes) {
      let isThere = true as boolean;
      const setWatches = async (): Promise<boolean> => {
        isThere = await found.isThere(lease, { watch: true });
        return !isThere;
      };
      try {
        while (isThere) await nextEvent({ session, lease, wait }, [found.path], setWatches);
      } catch (error) {
        if (!wait.isOver) throw error;
        return true;
      }
    }
    return false;
  }

  async #delete(lease: SessionLease, nodes: readonly FoundNode[], wait: Wait): Promise<void> {
    const deleted = nodes.map((found) => this.#change(() => found.delete(lease, wait)));
    try {
      this.#isForced ||= (await Promise.all(deleted)).includes(true);
    } catch (error) {
      // The node may have been deleted, and by this request rather than by its process.
      if (isAmbiguous(error)) this.#isForced = true;
      throw error;
    }
  }

  /** Returns false if the node is gone. */
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

  /** The contender's nodes; empty if they are gone. */
  async #find(lease: SessionLease): Promise<readonly FoundNode[]> {
    const queue = await this.#list(lease);
    const { name, sequence } = this.#found?.node ?? {
      name: this.options.node,
      sequence: queue.find((node) => node.name === this.options.node)?.sequence,
    };
    // Any node that replaces another one has the same number.
    const nodes = await this.#read(
      lease,
      queue.filter((node) => node.sequence === sequence),
    );
    if (await this.#isDirectoryNew(lease)) return [];
    const found = this.#found ?? nodes.find(({ node }) => node.name === name);
    if (!found) return [];
    if (!this.#found) await this.#identify(lease, found, queue);
    this.#found = found;
    return nodes.filter((node) => node.isOfContender(found));
  }

  /** Whether the numbers of nodes have started over since the contender was found. Then it is gone. */
  async #isDirectoryNew(lease: SessionLease): Promise<boolean> {
    if (!this.#found) return false;
    const stat = await this.context.session.exists(lease, this.directory);
    return stat !== undefined && stat.czxid > this.#found.content.stat.czxid;
  }

  /** @throws {LockNotBrokenError} unless the node is certainly the one that has the token */
  async #identify(
    lease: SessionLease,
    found: FoundNode,
    queue: readonly QueueNode[],
  ): Promise<void> {
    const { token } = this.options;
    if (found.isCreatedWith(token)) return;
    const { name } = found.node;
    const own = found.ownToken;
    if (!found.claims(token)) {
      throw await this.#refusal(lease, `the token of node ${name} is ${own}, not ${token}.`);
    }
    for (let from = 0; from < queue.length; from += READ_TOGETHER) {
      const read = await this.#read(lease, queue.slice(from, from + READ_TOGETHER));
      const others = read.filter((node) => !node.isOfContender(found));
      const other = others.find((node) => node.isCreatedWith(token) || node.claims(token));
      if (!other) continue;
      throw await this.#refusal(
        lease,
        `${name} has this token in its data, and so has ${other.node.name} of another session. To break ${name}, pass the token ${own}, which belongs to it alone.`,
      );
    }
  }

  async #refusal(lease: SessionLease, problem: string): Promise<LockNotBrokenError> {
    const { key, options } = this;
    const holding = holdersOf(await this.#list(lease));
    const read = await this.#read(lease, holding.slice(0, MOST_HOLDERS));
    const holders = read.map(({ contender }) => asHolder(contender));
    const heldBy =
      describeHolders(holders, { total: holding.length }) ??
      (holding.length > 0 ? 'It is not known who holds it now.' : undefined);
    return new LockNotBrokenError(key, options, problem, holders, heldBy);
  }

  async #list(lease: SessionLease): Promise<readonly QueueNode[]> {
    const { session, directories, dialect } = this.context;
    const { directory } = this;
    await session.sync(lease, directory);
    return directories.queueIn(lease, directory, dialect);
  }

  /**
   * Skips nodes that are gone in the meantime, and nodes other than the named one that this client
   * may not read.
   */
  async #read(lease: SessionLease, nodes: readonly QueueNode[]): Promise<readonly FoundNode[]> {
    const { context, directory } = this;
    const read = nodes.map(async (node) => {
      try {
        return await FoundNode.read(context, lease, directory, node);
      } catch (error) {
        if (node.name === this.options.node || !hasReturnCode(error, ReturnCode.noAuth))
          throw error;
        return undefined;
      }
    });
    return (await Promise.all(read)).filter((found) => found !== undefined);
  }
}

/** Logs a lock that this process has broken, and publishes an event. */
export function tellBroken(
  logger: ZkLockLogger,
  connection: string,
  { key, contender, brokenBy, isForced }: Broken,
): void {
  const { mode, node, fencingToken, queuedAt, holder } = contender;
  const who = holder
    ? `${nameHolder(holder)} asked for it ${ageText(Date.now() - queuedAt.getTime())} ago.`
    : 'Its node is of another library.';
  const how = isForced ? 'Its znode was deleted' : 'Its process gave it up';
  logger.warn(
    `Broke the ${nameLock(mode, key)} of node ${node} with fencing token ${String(fencingToken)}. ${who} ${how}.`,
  );
  publish('break', { connection, key, mode, node, fencingToken, holder, brokenBy, isForced });
}
