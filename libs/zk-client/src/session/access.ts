import { randomUUID } from 'node:crypto';
import { hasReturnCode, ReturnCode, ZooKeeperError } from '../port/client-errors.js';
import { accessRemedy, type Identity, nameIdentity } from '../port/identity.js';
import { join, parentOf } from '../port/node-path.js';
import type { ZkLockLogger } from '../logger.js';
import { shellWord } from '../shell-word.js';
import { ZkLockConfigError } from '../zk-lock-error.js';
import type { SessionLease } from './session-lease.js';
import type { SessionRequests } from './session-requests.js';
import type { AccessRefusal } from './session-state.js';

const NO_NEW_NODES: ReadonlyMap<string, string> = new Map([
  [
    'ZK_LOCAL_SESSION',
    'its sessions are local. Set `localSessionsUpgradingEnabled=true` on all servers.',
  ],
  ['ZK_QUOTA_EXCEEDED', 'the quota is used up. See `listquota` in zkCli.sh, and raise it.'],
]);

/** About as much as a lock node has: without data, a quota of bytes refuses no node. */
const LOCK_NODE_BYTES = 256;

type Requests = Pick<SessionRequests, 'get' | 'transact'>;

/** Whether the error says that ZooKeeper refuses the lock nodes of all sessions. */
export function refusesNewNodes(error: unknown): error is ZooKeeperError {
  return error instanceof ZooKeeperError && NO_NEW_NODES.has(error.code);
}

/** What is wrong and what to do, in sentences. */
export function describeRefusal({ path, code, ...identity }: AccessRefusal): string {
  return code === undefined
    ? `ZooKeeper refuses access to ${path} for ${nameIdentity(identity)}. ${accessRemedy(identity)}`
    : `ZooKeeper refuses new lock nodes at ${path}: ${NO_NEW_NODES.get(code) ?? code}`;
}

/**
 * Whether ZooKeeper allows this client to take locks, according to a read of the root and to the
 * latest call for a lock, which takes precedence. ZooKeeper itself does not verify passwords of the
 * scheme `digest`.
 *
 * The root is read on each new connection, and with each heartbeat while it is hidden: an
 * application that is down may receive no calls, so this is how it notices that the ACL was
 * corrected. For the same reason, a new node is tried where a call was refused one.
 */
export class Access {
  #refusal: AccessRefusal | undefined;
  #isRootHidden = false;
  /** If so, the root's state is ignored. */
  #hasLatestCallSucceeded = false;
  #hasWarnedOfCall = false;
  #hasWarnedOfOpenRoot = false;
  #asking: Promise<void> | undefined;

  constructor(
    readonly identity: Identity,
    private readonly root: string | undefined,
    private readonly logger: ZkLockLogger,
  ) {}

  /** Undefined while locks can be taken, as far as is known. */
  get refusal(): AccessRefusal | undefined {
    return this.#refusal;
  }

  /** Called when the root was read or is missing; `isHidden` if the read was refused. */
  rootRead(isHidden: boolean): void {
    const { identity, root = '/', logger } = this;
    const wasHidden = this.#isRootHidden;
    this.#isRootHidden = isHidden;
    if (isHidden && !this.#refusal && !this.#hasLatestCallSucceeded) {
      logger.warn(describeRefusal(this.#refuse(root)));
    } else if (wasHidden && !isHidden && this.#refusal?.path === root) {
      this.#refusal = undefined;
      logger.log(`ZooKeeper now permits access to ${root} for ${nameIdentity(identity)}.`);
    }
  }

  /**
   * The root existed before, and outsiders may write to it, so anyone may have created its
   * directories.
   */
  rootIsOpen(): void {
    const { root = '/', logger } = this;
    if (this.#hasWarnedOfOpenRoot) return;
    this.#hasWarnedOfOpenRoot = true;
    logger.warn(
      `${root} is open to every client of this ZooKeeper: it already existed, and keeps its ACL. When all processes have the same \`credentials\`, restrict it in zkCli.sh (addauth digest user:password, then setAcl -R ${shellWord(root)} auth::cdrwa), or set \`acl: 'open'\` to accept this.`,
    );
  }

  /**
   * Called when a call for a lock was refused at `path`.
   *
   * @param code as in {@link AccessRefusal}
   */
  callRefused(path: string, code?: string): void {
    this.#hasLatestCallSucceeded = false;
    if (this.#refusal) return;
    const refusal = this.#refuse(path, code);
    // Calls for different keys may be refused and succeed alternately. Each caller gets its own
    // error.
    if (this.#hasWarnedOfCall) return;
    this.#hasWarnedOfCall = true;
    this.logger.warn(`${describeRefusal(refusal)} This is logged once.`);
  }

  /** Called when ZooKeeper permitted a call for a lock. */
  callSucceeded(): void {
    this.#hasLatestCallSucceeded = true;
    this.#refusal = undefined;
  }

  /**
   * Asks whether ZooKeeper permits again what it has refused, unless it is asking already. Never
   * rejects.
   */
  askAgain(requests: Requests, lease: SessionLease): Promise<void> {
    this.#asking ??= this.#ask(requests, lease).finally(() => (this.#asking = undefined));
    return this.#asking;
  }

  async #ask(requests: Requests, lease: SessionLease): Promise<void> {
    const { refusal, root } = this;
    if (!refusal) return;
    if (refusal.path !== root) {
      const isOver = await isPermitted(requests, lease, refusal);
      if (isOver && this.#refusal === refusal) this.#refusal = undefined;
      return;
    }
    const answer = await isHidden(requests.get(lease, root));
    if (answer !== undefined) this.rootRead(answer);
  }

  #refuse(path: string, code?: string): AccessRefusal {
    const { username, scheme } = this.identity;
    const refusal = { path, username, scheme, since: new Date(), ...(code && { code }) };
    this.#refusal = refusal;
    return refusal;
  }
}

/** Whether an ACL refused the read of a node; undefined if there was no answer. Never rejects. */
export async function isHidden(read: Promise<unknown>): Promise<boolean | undefined> {
  try {
    await read;
    return false;
  } catch (error) {
    if (hasReturnCode(error, ReturnCode.noAuth)) return true;
    return hasReturnCode(error, ReturnCode.noNode) ? false : undefined;
  }
}

/**
 * Creates nothing, because the same node cannot be created twice. False also if there is no answer.
 *
 * @param directory where a lock node was refused: an ACL or a quota may be that of one key
 */
async function isPermitted(
  requests: Requests,
  lease: SessionLease,
  refusal: AccessRefusal,
  directory = refusal.path,
): Promise<boolean> {
  const data = Buffer.alloc(LOCK_NODE_BYTES);
  const path = join(directory, randomUUID());
  const node = { type: 'create', path, data, mode: 'ephemeral' } as const;
  try {
    await Promise.all([requests.get(lease, directory), requests.transact(lease, [node, node])]);
    return false;
  } catch (error) {
    if (hasReturnCode(error, ReturnCode.noNode)) {
      return isPermitted(requests, lease, refusal, parentOf(directory));
    }
    // Where the client has no transactions, nothing is known of new nodes any more.
    const isUnknown = error instanceof ZkLockConfigError && refusal.code !== undefined;
    return isUnknown || hasReturnCode(error, ReturnCode.nodeExists);
  }
}
