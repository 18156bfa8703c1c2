import { accessRemedy, type Identity, nameIdentity } from '../port/identity.js';
import type { ZkLockLogger } from '../logger.js';
import { shellWord } from '../shell-word.js';

/** ZooKeeper's ACLs refuse this client an access that locks need. */
export interface AccessRefusal extends Identity {
  /** The path of the refused node, with the chroot. */
  readonly path: string;
  readonly since: Date;
}

/**
 * Whether ZooKeeper's ACLs allow this client to take locks, according to a read of the root and to
 * the latest call for a lock, which takes precedence. ZooKeeper itself does not verify passwords of
 * the scheme `digest`.
 *
 * The root is read on each new connection, and with each heartbeat while access is refused: an
 * application that is down may receive no calls, so this is how it notices that its ACL or password
 * was corrected.
 */
export class Access {
  #refusal: AccessRefusal | undefined;
  #isRootHidden = false;
  /** If so, the root's state is ignored. */
  #hasLatestCallSucceeded = false;
  #hasWarnedOfCall = false;
  #hasWarnedOfOpenRoot = false;

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
      this.#refuse(root);
      logger.warn(
        `ZooKeeper refuses access to ${root} to ${nameIdentity(identity)}. ${accessRemedy(identity)}`,
      );
    } else if (wasHidden && !isHidden && this.#refusal) {
      this.#refusal = undefined;
      logger.log(`ZooKeeper now permits access to ${root} to ${nameIdentity(identity)}.`);
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

  /** Called when a call for a lock was refused at `path`. */
  callRefused(path: string): void {
    const { identity, logger } = this;
    this.#hasLatestCallSucceeded = false;
    if (this.#refusal) return;
    this.#refuse(path);
    // Calls for different keys may be refused and succeed alternately. Each caller gets its own
    // error.
    if (this.#hasWarnedOfCall) return;
    this.#hasWarnedOfCall = true;
    logger.warn(
      `ZooKeeper refused access to ${path} to ${nameIdentity(identity)}. ${accessRemedy(identity)} This is logged once.`,
    );
  }

  /** Called when ZooKeeper permitted a call for a lock. */
  callSucceeded(): void {
    this.#hasLatestCallSucceeded = true;
    this.#refusal = undefined;
  }

  #refuse(path: string): void {
    const { username, scheme } = this.identity;
    this.#refusal = { path, username, scheme, since: new Date() };
  }
}
