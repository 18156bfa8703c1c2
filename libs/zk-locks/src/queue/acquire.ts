import { LockAccessError } from '../lock-errors.js';
import type { ContenderCall, Entry } from './contender.js';
import type { OwnNode } from './own-node.js';
import { type WaitRequest } from './wait.js';
import {
  hasReturnCode,
  nameOf,
  parentOf,
  type Removal,
  type RemovalListener,
  retryDelay,
  ReturnCode,
  type Session,
  type SessionLease,
  SessionOverError,
  type Wait,
} from 'zk-client/recipes';
import { isBusy, type IsTaken, refuseIfTaken } from './single-try.js';
import type { Dialect } from './dialect.js';
import { KeyQueue } from './key-queue.js';

export interface Queue extends Entry {
  readonly queues: KeyQueues;
}

/**
 * Makes of a contender's node, whose turn it is, what the contender wanted it for, and takes it over
 * with its watch. Undefined where the node turns out to be gone.
 */
export type Claim<T> = (own: OwnNode) => Promise<T | undefined>;

/**
 * Queues up until it is this contender's turn, and then `claim`s its node.
 *
 * A contender whose node is gone queues up anew, as it does when its session ends while it waits.
 * However this call ends, other than by returning what `claim` made of the node, the node is removed.
 *
 * @param isTaken what a single try reads before it writes: where this is true, it leaves no trace
 * @throws the error of `wait` once that is over
 * @throws {LockAccessError} {@link LockDirectoryError}
 * @throws {ZooKeeperError} the server's refusal
 */
export function acquire<T>(
  queue: Queue,
  request: WaitRequest,
  wait: Wait,
  claim: Claim<T>,
  isTaken: IsTaken = isBusy,
): Promise<T> {
  const isSingle = request.timeoutMs === 0;
  const check = isSingle ? () => refuseIfTaken(queue, request, wait, isTaken) : undefined;
  return new Promise<T>((resolve, reject) => {
    void new Attempts(queue, wait, claim, resolve, reject).queueUp(check);
  });
}

/** The contenders of one call, one after the other. No async frame waits with them: 10,000 may wait. */
class Attempts<T> implements ContenderCall {
  #failed = 0;

  constructor(
    private readonly queue: Queue,
    private readonly wait: Wait,
    private readonly claim: Claim<T>,
    private readonly onClaimed: (claimed: T) => void,
    private readonly onError: (error: unknown) => void,
  ) {}

  async queueUp(check?: () => Promise<void>): Promise<void> {
    const { queue, wait } = this;
    const { context, queues, dialect, place } = queue;
    const { session } = context;
    try {
      if (check) await check();
      if (this.#failed > 0) await retryDelay(this.#failed, wait);
      wait.throwIfOver();
      const lease = session.connectedLease ?? (await session.whenConnected(wait.signal));
      queues.of(lease, place.directory, dialect).enter(queue, wait, this);
    } catch (error) {
      this.reject(error);
    }
  }

  resolve(granted: OwnNode | undefined): void {
    void this.#claim(granted);
  }

  reject(error: unknown): void {
    if (error instanceof SessionOverError) this.#queueUpAgain();
    else this.onError(explained(this.queue.context.session, error, this.queue.place.directory));
  }

  async #claim(own: OwnNode | undefined): Promise<void> {
    let claimed: T | undefined;
    try {
      // Its session may have ended since: then the call queues up anew in the next one.
      if (own && !own.lease.lossReason) claimed = await this.wait.for(this.claim(own));
    } catch (error) {
      this.reject(error);
      return;
    } finally {
      if (own && claimed === undefined) {
        own.abandon();
        void this.queue.context.remover.remove(own.lease, own.path);
      }
    }
    if (claimed === undefined) this.#queueUpAgain();
    else {
      this.queue.context.session.access.callSucceeded();
      this.onClaimed(claimed);
    }
  }

  #queueUpAgain(): void {
    this.#failed++;
    void this.queueUp();
  }
}

/** @throws {LockAccessError} where ZooKeeper's ACLs keep `work` from doing what it wants at `path` */
export function explainRefusal<T>(
  session: Session,
  path: string,
  work: () => Promise<T>,
): Promise<T> {
  return work().catch((error: unknown) => {
    throw explained(session, error, path);
  });
}

function explained({ access }: Session, error: unknown, path: string): unknown {
  if (!hasReturnCode(error, ReturnCode.noAuth)) return error;
  access.callRefused(path);
  return new LockAccessError(path, { ...access.identity, cause: error });
}

/** The queues that this process stands in: one for each lock directory. */
export class KeyQueues implements RemovalListener {
  readonly #byDirectory = new Map<string, KeyQueue>();
  readonly #onOver = (queue: KeyQueue): void => {
    const { directory } = queue;
    if (this.#byDirectory.get(directory) === queue) this.#byDirectory.delete(directory);
  };

  constructor(private readonly session: Session) {
    session.onState(({ name }) => {
      if (name === 'connected') this.#connected();
      else this.#disconnected();
    });
  }

  /** The queue of a directory in the session of `lease`. */
  of(lease: SessionLease, directory: string, dialect: Dialect): KeyQueue {
    const known = this.#byDirectory.get(directory);
    if (known?.lease === lease) return known;
    const queue = new KeyQueue(this.session, lease, directory, dialect, this.#onOver);
    this.#byDirectory.set(directory, queue);
    return queue;
  }

  onRemoving(lease: SessionLease, path: string, removal: Removal): void {
    this.#find(lease, path)?.removing(nameOf(path), removal);
  }

  onRemoved(lease: SessionLease, path: string, removal: Removal, wasThere: boolean): void {
    this.#find(lease, path)?.removed(nameOf(path), removal, wasThere);
  }

  onRefused(lease: SessionLease, path: string): void {
    this.#find(lease, path)?.refused(nameOf(path));
  }

  #connected(): void {
    for (const queue of [...this.#byDirectory.values()]) queue.connected();
  }

  #disconnected(): void {
    for (const queue of [...this.#byDirectory.values()]) queue.disconnected();
  }

  #find(lease: SessionLease, path: string): KeyQueue | undefined {
    const queue = this.#byDirectory.get(parentOf(path));
    return queue?.lease === lease ? queue : undefined;
  }
}
