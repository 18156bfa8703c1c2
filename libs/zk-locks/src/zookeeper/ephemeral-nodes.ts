import { isAmbiguous } from '../client/client-errors.js';
import type { SessionNodes } from '../queue/node-remover.js';
import type { SessionLease } from '../session/session-lease.js';

/** Longer than the number that a server appends. */
const NUMBER_LENGTH = 11;

/** Calls that create a node of one name at the same time. */
interface Naming {
  calls: number;
  /** Whether a node of this name that the session owns can be another call's. */
  isShared: boolean;
}

/** The ephemeral nodes that users have in the present session, beside those of the locks. */
export class EphemeralNodes {
  readonly #namings = new Map<string, Naming>();
  #lease: SessionLease | undefined;
  #paths = new Set<string>();
  #numbered = 0;

  /** @param nodes counts all nodes of a session */
  constructor(private readonly nodes: SessionNodes) {}

  /** Whether something is lost with the session. */
  get areThere(): boolean {
    return this.#paths.size > 0 && this.#lease?.lossReason === undefined;
  }

  /**
   * Runs a call that creates a node of this name.
   *
   * @param work `isOnlyOurs` tells whether a node of this name that the session owns must be this call's
   */
  async naming<T>(path: string, work: (isOnlyOurs: () => boolean) => Promise<T>): Promise<T> {
    const isThere = this.areThere && this.#paths.has(path);
    const naming = this.#namings.get(path) ?? { calls: 0, isShared: isThere };
    this.#namings.set(path, naming);
    if (++naming.calls > 1) naming.isShared = true;
    try {
      return await work(() => !naming.isShared);
    } finally {
      if (--naming.calls === 0) this.#namings.delete(path);
    }
  }

  /**
   * Counts a node while it is created, and for as long as it may be there.
   *
   * @throws {ZooKeeperError} where the session has no room for it, or the node cannot be created
   */
  async create(
    lease: SessionLease,
    path: string,
    isNumbered: boolean,
    create: () => Promise<{ readonly path: string }>,
  ): Promise<{ readonly path: string }> {
    this.#enter(lease);
    const counted = isNumbered ? path + String(this.#numbered++).padStart(NUMBER_LENGTH) : path;
    const isKnown = this.#paths.has(counted);
    this.nodes.reserve(lease, counted);
    this.#paths.add(counted);
    try {
      const created = await create();
      if (isNumbered) this.#forget(lease, counted);
      this.add(lease, created.path);
      return created;
    } catch (error) {
      if (!isAmbiguous(error) && !isKnown) this.#forget(lease, counted);
      throw error;
    }
  }

  /** It is there. */
  add(lease: SessionLease, path: string): void {
    this.nodes.add(lease, path);
    if (lease === this.#lease) this.#paths.add(path);
  }

  /** It is gone. */
  remove(path: string): void {
    if (this.#lease && this.#paths.has(path)) this.#forget(this.#lease, path);
  }

  #enter(lease: SessionLease): void {
    if (lease === this.#lease) return;
    this.#lease = lease;
    this.#paths = new Set();
  }

  #forget(lease: SessionLease, path: string): void {
    this.nodes.remove(lease, path);
    if (lease === this.#lease) this.#paths.delete(path);
  }
}
