import { accessRemedy, type Identity, nameIdentity } from '../port/identity.js';
import type { ZkLockLogger } from '../logger.js';
import { shellWord } from '../shell-word.js';

/** ZooKeeper's ACLs refuse this client what locks need. */
export interface AccessRefusal extends Identity {
  /** The node that was refused, with the chroot. */
  readonly path: string;
  readonly since: Date;
}

/**
 * Whether ZooKeeper's ACLs let this client take locks: by what a read of the root has shown, and by the
 * latest call for a lock, which knows better. ZooKeeper itself checks no password of the scheme `digest`.
 *
 * The root is read by each new connection, and with each heartbeat while access is refused: an application
 * that is down may get no calls, and learns by this that its ACL or password was corrected.
 */
export class Access {
  #refusal: AccessRefusal | undefined;
  #isRootHidden = false;
  /** Then what the root shows does not matter. */
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

  /** The root was read, or is missing; `isHidden` where the read was refused. */
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
      logger.log(`ZooKeeper permits access to ${root} to ${nameIdentity(identity)} now.`);
    }
  }

  /** The root was there before, and outsiders may write to it: who makes directories there is not known. */
  rootIsOpen(): void {
    const { root = '/', logger } = this;
    if (this.#hasWarnedOfOpenRoot) return;
    this.#hasWarnedOfOpenRoot = true;
    logger.warn(
      `${root} is open to every client of this ZooKeeper: it was there before, and keeps its ACL. When all processes have the same \`credentials\`, restrict it in zkCli.sh (addauth digest user:password, then setAcl -R ${shellWord(root)} auth::cdrwa), or accept it by \`acl: 'open'\`.`,
    );
  }

  /** A call for a lock was refused at `path`. */
  callRefused(path: string): void {
    const { identity, logger } = this;
    this.#hasLatestCallSucceeded = false;
    if (this.#refusal) return;
    this.#refuse(path);
    // Calls for different keys may be refused and succeed in turns. Each caller has its error.
    if (this.#hasWarnedOfCall) return;
    this.#hasWarnedOfCall = true;
    logger.warn(
      `ZooKeeper refused access to ${path} to ${nameIdentity(identity)}. ${accessRemedy(identity)} This is logged once.`,
    );
  }

  /** A call for a lock got what it wanted from ZooKeeper. */
  callSucceeded(): void {
    this.#hasLatestCallSucceeded = true;
    this.#refusal = undefined;
  }

  #refuse(path: string): void {
    const { username, scheme } = this.identity;
    this.#refusal = { path, username, scheme, since: new Date() };
  }
}
