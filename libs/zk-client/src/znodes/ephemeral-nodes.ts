import { isAmbiguous, orIfGone } from '../port/client-errors.js';
import { nameOf, parentOf } from '../port/node-path.js';
import type { SessionLease } from '../session/session-lease.js';
import type { SessionRequests } from '../session/session-requests.js';
import { countNode, onFull, reserveNode, uncountNode } from '../certain/session-nodes.js';

/** Longer than the number that a server appends. */
const NUMBER_LENGTH = 11;

/** Calls that create a node of the same name at the same time. */
interface Naming {
  calls: number;
  /** Whether a node of this name that the session owns may belong to another call. */
  isShared: boolean;
}

/** A node of a session, or a name that a node may get. */
interface Owned {
  /** The number of calls that are creating it. */
  calls: number;
  /** Whether it was created, or may have been. */
  isThere: boolean;
  /** The number of the latest creation that has made it, or may have. */
  creation: number;
}

const NOT_THERE = { calls: 0, isThere: false, creation: 0 };

/**
 * The ephemeral nodes that users have in the current session, in addition to those of the locks.
 */
export class EphemeralNodes {
  readonly #namings = new Map<string, Naming>();
  #lease: SessionLease | undefined;
  #owned = new Map<string, Owned>();
  /** The paths of creations that were not answered. The servers may still execute them at any time. */
  #unanswered = new Set<string>();
  #numbered = 0;
  #creations = 0;

  constructor(private readonly session: Pick<SessionRequests, 'list'>) {}

  /** Whether anything would be lost with the session. */
  get areThere(): boolean {
    return this.#owned.size > 0 && this.#lease?.lossReason === undefined;
  }

  /**
   * Runs a call that creates a node of this name.
   *
   * @param work receives `isOnlyOurs`, which tells whether a node of this name that the session
   * owns must be this call's
   */
  async naming<T>(path: string, work: (isOnlyOurs: () => boolean) => Promise<T>): Promise<T> {
    const isKnown = this.#owned.has(path) || this.#unanswered.has(path);
    const mayBeThere = isKnown && this.#lease?.lossReason === undefined;
    const naming = this.#namings.get(path) ?? { calls: 0, isShared: mayBeThere };
    this.#namings.set(path, naming);
    if (++naming.calls > 1) naming.isShared = true;
    try {
      return await work(() => !naming.isShared);
    } finally {
      if (--naming.calls === 0) this.#namings.delete(path);
    }
  }

  /**
   * Counts a node while it is created, and as long as it may exist.
   *
   * @throws {ZooKeeperError} when the session has no room for it, or the node cannot be created
   */
  async create(
    lease: SessionLease,
    path: string,
    isNumbered: boolean,
    create: () => Promise<{ readonly path: string }>,
  ): Promise<{ readonly path: string }> {
    const counted = isNumbered ? path + String(this.#numbered++).padStart(NUMBER_LENGTH) : path;
    const room = reserveNode(lease, counted);
    if (room) await room;
    // What is sent in a session that is over is refused.
    if (lease.lossReason) return create();
    this.#enter(lease);
    const owned = this.#owned.get(counted) ?? { ...NOT_THERE };
    this.#owned.set(counted, owned);
    owned.calls++;
    const creation = ++this.#creations;
    try {
      const created = await create();
      this.#add(lease, created.path, creation);
      return created;
    } catch (error) {
      if (isAmbiguous(error)) {
        Object.assign(owned, { isThere: true, creation });
        if (lease === this.#lease) this.#unanswered.add(counted);
      }
      throw error;
    } finally {
      owned.calls--;
      this.#forgetUnlessNeeded(lease, counted, owned);
    }
  }

  #add(lease: SessionLease, path: string, creation: number): void {
    countNode(lease, path);
    if (lease !== this.#lease) return;
    const owned = this.#owned.get(path) ?? { ...NOT_THERE };
    this.#owned.set(path, Object.assign(owned, { isThere: true, creation }));
  }

  /**
   * Sends a request whose answer says that nodes are gone. Those that have been created again since
   * it was sent stay.
   *
   * @param areGone whether the answer says so. @default whatever it is
   */
  async deleting<T>(
    paths: readonly string[],
    send: () => Promise<T>,
    areGone: (answer: T) => boolean = () => true,
  ): Promise<T> {
    const latest = this.#creations;
    const answer = await send();
    if (areGone(answer)) for (const path of paths) this.#remove(path, latest);
    return answer;
  }

  /** @param latest the number of the latest creation that does not make it there again */
  #remove(path: string, latest: number): void {
    const owned = this.#owned.get(path);
    if (!this.#lease || !owned || owned.creation > latest) return;
    owned.isThere = false;
    this.#forgetUnlessNeeded(this.#lease, path, owned);
  }

  #enter(lease: SessionLease): void {
    if (lease === this.#lease) return;
    this.#lease = lease;
    this.#owned = new Map();
    this.#unanswered = new Set();
    onFull(lease, () => this.#forgetGone(lease));
  }

  /** Nodes that other clients have deleted count no longer. Never rejects. */
  async #forgetGone(lease: SessionLease): Promise<void> {
    if (lease !== this.#lease) return;
    const latest = this.#creations;
    const paths = [...this.#owned.keys()];
    const names = new Map<string, Promise<ReadonlySet<string> | undefined>>();
    for (const directory of new Set(paths.map(parentOf))) {
      names.set(directory, this.#namesIn(lease, directory));
    }
    for (const path of paths) {
      const present = await names.get(parentOf(path));
      const isGone = present?.has(nameOf(path)) === false && !this.#unanswered.has(path);
      if (isGone && lease === this.#lease) this.#remove(path, latest);
    }
  }

  /** Undefined where that was not answered. */
  #namesIn(lease: SessionLease, directory: string): Promise<ReadonlySet<string> | undefined> {
    return orIfGone(this.session.list(lease, directory), []).then(
      (names) => new Set(names),
      () => undefined,
    );
  }

  #forgetUnlessNeeded(lease: SessionLease, path: string, { calls, isThere }: Owned): void {
    if (calls > 0 || isThere) return;
    uncountNode(lease, path);
    if (lease === this.#lease) this.#owned.delete(path);
  }
}
