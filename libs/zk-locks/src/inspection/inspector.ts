import { readBreakOptions, readInspectOptions } from '../options/call-options.js';
import type { QueueContext } from '../queue/lock-node.js';
import { ANSWER_MS, type Broken, Breaking } from './break.js';
import { type Contender, inspectLock, type LockInspection, type SightOf } from './inspection.js';
import { directoryOf, isKeyDirectory, keyOf } from '../lock/key-path.js';
import type { BreakOptions, InspectOptions } from '../lock/lock.js';
import { newAnswerWait, orAccessError } from '../queue/wait.js';
import {
  askOnAnySession,
  retryUntilAnswered,
  type SessionLease,
  type Wait,
} from 'zk-client/recipes';
import { DeadlockFinder, type DeadlockReport } from './deadlocks.js';
import { forEachInSlices, inSlices, sortedInSlices } from '../slices.js';
import { revokeHolders } from './revoke.js';

/**
 * Inspects the locks of all processes without leaving a trace, and asks their holders to release
 * them.
 */
export class Inspector {
  constructor(
    private readonly context: QueueContext,
    private readonly sightOf?: SightOf,
    private readonly onBroken?: (broken: Broken) => void,
  ) {}

  inspect(key: string, given: InspectOptions = {}): Promise<LockInspection> {
    const options = readInspectOptions(given);
    const directory = directoryOf(this.context.root, key);
    return this.ask(directory, (lease) =>
      inspectLock(this.context, lease, key, directory, options, this.sightOf),
    );
  }

  deadlocks(): Promise<DeadlockReport> {
    const finder = new DeadlockFinder(this.context);
    return this.ask(this.context.root, (lease, wait) => finder.all(lease, wait));
  }

  /** Returns the number of holders that were asked. */
  revoke(key: string): Promise<number> {
    const directory = directoryOf(this.context.root, key);
    return this.ask(directory, (lease, wait) =>
      revokeHolders(this.context, lease, directory, wait),
    );
  }

  /** Returns the contender whose lock, or place in the queue, was taken away. */
  async breakLock(key: string, given: BreakOptions): Promise<Contender> {
    const options = readBreakOptions(given);
    const directory = directoryOf(this.context.root, key);
    const breaking = new Breaking(this.context, key, directory, options);
    const broken = await this.ask(directory, (lease, wait) => breaking.run(lease, wait), ANSWER_MS);
    this.onBroken?.(broken);
    return broken.contender;
  }

  async list(): Promise<string[]> {
    const { directories, root } = this.context;
    const segments = await this.ask(root, (lease) => directories.list(lease, root));
    return inSlices(keysOf(segments));
  }

  /**
   * Asks until there is an answer, across reconnects and on whichever session exists.
   *
   * @param question receives the wait of the call: what changes something must not be sent once that
   * is over, because the call has failed
   * @param othersMs the time for which others may let the question wait
   * @throws {ZooKeeperUnavailableError} {@link LockAccessError} {@link ZkClosedError}
   */
  async ask<T>(
    path: string,
    question: (lease: SessionLease, wait: Wait) => Promise<T>,
    othersMs = 0,
  ): Promise<T> {
    const { session, connectTimeoutMs, activeLocks } = this.context;
    const { failFast, closing } = activeLocks;
    failFast?.check();
    const timeoutMs = connectTimeoutMs + othersMs;
    const what = `did not answer about ${path} within ${timeoutMs} ms`;
    using wait = newAnswerWait(session, timeoutMs, what, closing);
    failFast?.join(wait);
    try {
      const connected = (): Promise<SessionLease> => session.whenConnected(wait.signal);
      return await askOnAnySession(connected, (lease) => {
        const ask = async (): Promise<T> => {
          wait.throwIfOver();
          return question(lease, wait);
        };
        return wait.for(retryUntilAnswered(session, lease, ask));
      });
    } catch (error) {
      throw orAccessError(session, error, path);
    } finally {
      failFast?.leave(wait);
    }
  }
}

/** The keys of these directories in alphabetical order, with pauses between slices of work. */
function* keysOf(segments: readonly string[]): Generator<undefined, string[]> {
  const keys: string[] = [];
  yield* forEachInSlices(segments, (segment) => {
    if (isKeyDirectory(segment)) keys.push(keyOf(segment));
  });
  return yield* sortedInSlices(keys, (a, b) => (a < b ? -1 : 1));
}
