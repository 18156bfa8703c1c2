import { OpCode } from 'zk-protocol';
import { intentDirectoryOf, semaphorePathsOf } from '../../../libs/zk-locks/src/lock/key-path.js';
import { findQueue, type QueueNode } from '../../../libs/zk-locks/src/nodes/dialect.js';
import { parentOf } from '../../../libs/zk-embedded/src/tree/node-path.js';
import { atOnce } from '../../../libs/zk-locks/src/slices.js';
import { isLockNode } from '../../soak/stage/lock-node.js';
import { CHAIR, POOL } from '../../workers/soak/protocol.js';
import type { Read } from '../ensemble/clients/request-line.js';
import type { Ensemble } from '../ensemble/ensemble.js';
import type { Plan } from '../plan/plan.js';

/** A waiter watches the node that blocks it and the one before that: docs/decisions/0022. */
const MOST_WATCHED = 2;

interface Surroundings {
  /** The host from which any node may be watched. */
  readonly operator: string;
  readonly report: (promise: string, message: string) => void;
}

/**
 * Checks who watches the nodes of a queue, because a release must wake no others. A session may watch its
 * own nodes, and those that one of its own waits for according to a list that it has read. A reader that
 * becomes a writer waits for the other readers, wherever they are. Only processes that keep locks watch a
 * directory.
 */
export class WatchReasons {
  /** The nodes of others that each session may watch. */
  readonly #reasons = new Map<bigint, Set<string>>();
  readonly #directories: ReadonlySet<string>;
  readonly #keepsLocks: boolean;
  readonly #upgrades: boolean;
  /** Whether users of `ZkClient` watch the directories. */
  readonly #hasWatchers: boolean;

  constructor(
    servers: Pick<Ensemble, 'onRead'>,
    { keys, replicas, faults }: Pick<Plan, 'keys' | 'replicas' | 'faults'>,
    private readonly surroundings: Surroundings,
  ) {
    const { queue } = semaphorePathsOf(`/locks/${POOL.key}`);
    const isFair = replicas.every(({ options: { dialect } }) => dialect !== 'single-node');
    const directories = [...keys, CHAIR].map((key) => `/locks/${key}`);
    const all = [...directories, ...directories.map(intentDirectoryOf), queue];
    this.#directories = new Set(isFair ? all : []);
    this.#keepsLocks = replicas.some(
      ({ options: { cohort } }) => typeof cohort === 'object' && (cohort.keepMs ?? 0) > 0,
    );
    this.#upgrades = replicas.some(({ tasks }) => tasks.upgradable);
    this.#hasWatchers =
      replicas.some(({ users }) => users?.watch) ||
      faults.some(({ kind }) => kind === 'user watches a lock directory');
    servers.onRead((read) => {
      if (read.address !== this.surroundings.operator) this.#see(read);
    });
  }

  #see(read: Read): void {
    const { received } = read;
    const { type } = received;
    switch (type) {
      case OpCode.multiRead:
        // It sets no watches.
        for (const { request } of received.body(type)) this.#learn(read, request.path);
        return;
      case OpCode.getChildren:
      case OpCode.getChildren2: {
        const { path, watch } = received.body(type);
        this.#learn(read, path);
        if (watch && !this.#keepsLocks) this.#checkDirectory(read, path);
        return;
      }
      case OpCode.exists:
      case OpCode.getData: {
        const { path, watch } = received.body(type);
        if (watch && !this.#mayWatch(read, path)) this.#report(read, path);
        return;
      }
      case OpCode.addWatch:
        if (!this.#hasWatchers) this.#checkDirectory(read, received.body(type).path);
    }
  }

  #checkDirectory(read: Read, path: string): void {
    if (this.#directories.has(path)) this.#report(read, path);
  }

  /** Called when a session has read a path, which may be that of a queue. */
  #learn({ sessionId, tree }: Read, directory: string): void {
    if (!this.#directories.has(directory)) return;
    const reasons = this.#reasons.get(sessionId) ?? new Set();
    this.#reasons.set(sessionId, reasons);
    const { nodes } = atOnce(findQueue([...(tree.find(directory)?.children ?? [])]));
    const others: QueueNode[] = [];
    for (const node of nodes) {
      if (!isOwn({ sessionId, tree }, `${directory}/${node.name}`)) {
        others.push(node);
        continue;
      }
      const isWriter = node.mode === 'write';
      const blocker = others.findLastIndex(({ mode }) => isWriter || mode === 'write');
      const watched = others.slice(Math.max(0, blocker + 1 - MOST_WATCHED), blocker + 1);
      for (const { name } of watched) reasons.add(`${directory}/${name}`);
    }
  }

  #mayWatch(read: Read, path: string): boolean {
    const isInQueue = this.#directories.has(parentOf(path)) && isLockNode(path);
    if (!isInQueue || !read.tree.find(path) || isOwn(read, path)) return true;
    if (this.#upgrades && path.includes('__READ__')) return true;
    return this.#reasons.get(read.sessionId)?.has(path) === true;
  }

  #report({ address }: Read, path: string): void {
    this.surroundings.report('no herd', `${address} watches ${path} without a reason`);
  }
}

function isOwn({ sessionId, tree }: Pick<Read, 'sessionId' | 'tree'>, path: string): boolean {
  const owner = tree.find(path)?.owner;
  return owner?.kind === 'session' && owner.sessionId === sessionId;
}
