import { randomUUID } from 'node:crypto';
import {
  checkValue,
  MAX_LABEL_LENGTH,
  OperationRefusedError,
  readShort,
  retryUntilAnswered,
  ReturnCode,
  SessionOverError,
  tryAgain,
} from 'zk-client/recipes';
import {
  type OptionsAndWork,
  optionsAndWork,
  runGuarded,
  type Work,
} from '../grant/async-scope.js';
import { HeldLock } from '../grant/grant.js';
import { executeUnder } from '../grant/transact.js';
import type { Inspector } from '../inspection/inspector.js';
import { directoryOf } from '../lock/key-path.js';
import type { LastRun, RunOutcome } from '../lock/last-run.js';
import {
  LockLostError,
  LockTimeoutError,
  LockTransactionUnknownError,
} from '../lock/lock-errors.js';
import type { AcquireOptions, Lock } from '../lock/lock.js';
import { ownHolder } from '../nodes/holder-data.js';
import type { NodeGrant } from '../grant/node-grant.js';
import { readRunOptions } from '../options/call-options.js';
import { OPTIONS } from '../options/table.js';
import { orAccessError } from '../queue/wait.js';
import type { LockRequest, ReadWriteLocks } from '../read-write/read-write-locks.js';
import type { JobResult } from '../telemetry/events.js';
import type { JobCall, Jobs } from './jobs.js';
import { type Due, dueAfter, parseRunRecord, type RunRecord, toLastRun } from './run-record.js';

/** The result of `runAtMostEvery`: that of the job, or the run because of which it was not due. */
export type RunResult<T> =
  { readonly ran: true; readonly result: T } | { readonly ran: false; readonly last: LastRun };

export type RunOptions = Pick<
  AcquireOptions,
  'timeoutMs' | 'label' | 'pattern' | 'signal' | 'release'
>;

/** A call of a job that has its lock. */
interface Turn {
  readonly lock: HeldLock;
  readonly grant: NodeGrant;
  /** The path of the job's record. */
  readonly path: string;
  readonly everyMs: number;
  /** When it asked for the lock, by the clock of this process. */
  readonly askedAt: number;
  readonly call: JobCall;
}

/** A call that relies on what another call of its job sees. */
interface Follower extends Pick<JobCall, 'seen'> {
  /** Passes that on; with undefined, the call has to ask ZooKeeper itself. */
  readonly tell: (last: LastRun | undefined) => void;
}

/** The current record, written by this run if it may begin, or else by another one. */
interface Begun {
  readonly isDue: boolean;
  readonly record: RunRecord;
}

/**
 * Jobs that run at most once in a period across all processes. A record says when the latest run began, by
 * ZooKeeper's clock. It is written in a transaction that also checks the runner's lock node, and outlives
 * the runner.
 */
export class Runs {
  /** The latest record seen of each job, and when it was first seen. */
  readonly #seen = new Map<string, { readonly guid: string; readonly at: number }>();

  /** The calls behind one that waits for a connection, by interval and by the directory of their key. */
  readonly #followers = new Map<string, Set<Follower>>();

  /** @param root the parent of the records */
  constructor(
    private readonly root: string,
    private readonly locks: ReadWriteLocks,
    private readonly inspector: Inspector,
    private readonly jobs: Jobs,
  ) {}

  async run<T>(
    key: string,
    everyMs: number,
    given: OptionsAndWork<RunOptions, Lock, T>,
  ): Promise<RunResult<T>> {
    const [options, fn] = optionsAndWork(given);
    checkValue('everyMs', everyMs, OPTIONS.atMostEveryMs);
    const { locks } = this;
    const asked = locks.request(key, { ...readRunOptions(options), reentrant: false });
    const { pattern = patternOf(key), label, release } = asked;
    const askedAt = performance.now();
    const call = this.jobs.begin({ key, pattern, label, everyMs });
    let lock: HeldLock | undefined;
    try {
      const last = await this.#seenByAnother(asked, everyMs, call);
      if (last) {
        call.sees(last);
        call.end('not_due');
        return { ran: false, last };
      }
      const request = locks.nest({ ...asked, pattern, kind: 'job' } as const);
      const grant = await locks.explained(request, (explained) => locks.take(explained));
      lock = new HeldLock(key, 'write', grant, release);
      const path = directoryOf(this.root, key);
      const result = await this.#runUnder({ lock, grant, path, everyMs, askedAt, call }, fn);
      call.end(result.ran ? 'ran' : 'not_due');
      return result;
    } catch (error) {
      call.end(resultOf(error, lock), error);
      throw error;
    }
  }

  /**
   * While ZooKeeper cannot be reached, one call of a job waits for it. Other calls of this process rely on
   * what that call sees. Otherwise, they would ask one after the other, and none of them would be due. A
   * call with another interval may be due.
   */
  async #seenByAnother(
    request: LockRequest,
    everyMs: number,
    { seen }: JobCall,
  ): Promise<LastRun | undefined> {
    const { context } = this.locks;
    const { directory, timeoutMs } = request;
    if (context.session.isConnected || timeoutMs === 0) return undefined;
    const job = `${everyMs} ${directory}`;
    const followers = this.#followers.get(job);
    if (!followers) {
      this.#follow(job, seen, new Set());
      return undefined;
    }
    let follower!: Follower;
    const told = new Promise<LastRun | undefined>((tell) => (follower = { seen, tell }));
    followers.add(follower);
    try {
      return await context.activeLocks.follow(request, (wait) => {
        // Once ZooKeeper is back, the call may still have to wait for the lock.
        wait.blocked();
        return wait.for(told);
      });
    } finally {
      followers.delete(follower);
    }
  }

  /** Passes what a call sees to all followers. If it sees nothing, only the first one is told, and asks next. */
  #follow(job: string, seen: JobCall['seen'], followers: Set<Follower>): void {
    this.#followers.set(job, followers);
    void seen.then((last) => {
      const [next] = followers;
      if (last || !next) {
        this.#followers.delete(job);
        for (const { tell } of followers) tell(last);
        return;
      }
      followers.delete(next);
      next.tell(undefined);
      this.#follow(job, next.seen, followers);
    });
  }

  #runUnder<T>(turn: Turn, fn: Work<Lock, T>): Promise<RunResult<T>> {
    const { lock, call } = turn;
    return runGuarded(lock, async () => {
      const { isDue, record } = await this.#begin(turn).catch((error: unknown) => {
        if (error instanceof SessionOverError) lock.throwIfLost();
        throw orAccessError(this.locks.context.session, error, turn.path);
      });
      const last = toLastRun(record);
      call.sees(last);
      if (!isDue) return { ran: false, last };
      return { ran: true, result: await this.#perform(turn, record, fn) };
    });
  }

  expect(key: string, everyMs: number): void {
    this.jobs.expect(key, patternOf(key), everyMs);
  }

  async last(key: string): Promise<LastRun | undefined> {
    const path = directoryOf(this.root, key);
    const { session } = this.locks.context;
    const content = await this.inspector.ask(path, (lease) => readShort(session, lease, path));
    const record = content && parseRunRecord(content.data);
    if (!record) return undefined;
    this.#knownMs(path, record, performance.now());
    const run = toLastRun(record);
    this.jobs.note(key, patternOf(key), run);
    return run;
  }

  /**
   * Records the beginning of a run, if one is due.
   *
   * @throws {LockLostError} if its node is gone and the loss has not been noticed yet
   */
  async #begin(turn: Turn): Promise<Begun> {
    const { lock, grant, path, everyMs, askedAt } = turn;
    const { lease } = grant;
    const { session, application } = this.locks.context;
    const stat = await retryUntilAnswered(session, lease, () => session.exists(lease, grant.path));
    if (!stat) {
      grant.lose('node-deleted');
      lock.throwIfLost();
      throw new LockLostError(lock.key, lock.mode, 'node-deleted');
    }
    const { host, pid } = ownHolder(application, undefined);
    const now = { askedAt: stat.ctime.getTime(), epoch: Number(stat.czxid >> 32n) };
    const own: RunRecord = {
      ...{ guid: randomUUID(), host, pid, application },
      ...now,
      ...{ outcome: 'running', everyMs },
    };
    const begin = async (): Promise<Begun> => {
      const found = await retryUntilAnswered(session, lease, () => readShort(session, lease, path));
      const last = found && parseRunRecord(found.data);
      if (last?.guid === own.guid) return { isDue: true, record: own };
      const { isDue, moveTo }: Due = last
        ? dueAfter(last, now, everyMs, this.#knownMs(path, last, askedAt))
        : { isDue: true };
      if (last && !isDue && moveTo === undefined) return { isDue, record: last };
      const record =
        last && moveTo !== undefined
          ? {
              ...last,
              ...now,
              askedAt: moveTo,
              ranAt: Math.min(last.ranAt ?? last.askedAt, moveTo),
            }
          : own;
      await this.#write(turn, record, found?.stat.version);
      if (isDue) this.#seen.set(path, { guid: own.guid, at: performance.now() });
      return { isDue, record };
    };
    // An earlier write of ours may have been executed late, or an operator has written to the record.
    return tryAgain(
      begin,
      (error) => error instanceof LockTransactionUnknownError || isOutrun(error),
    );
  }

  /** Runs the job and, if possible, records the outcome. */
  async #perform<T>(
    { lock, path, askedAt, call }: Turn,
    record: RunRecord,
    fn: Work<Lock, T>,
  ): Promise<T> {
    let outcome: RunOutcome = 'failed';
    try {
      const result = await this.locks.runWithin(lock, () => fn(lock));
      outcome = 'done';
      return result;
    } finally {
      const tookMs = Math.round(performance.now() - askedAt);
      const ended: RunRecord = { ...record, tookMs, outcome };
      const data = Buffer.from(JSON.stringify(ended));
      // The run still counts. After a loss, its record stays as it is until the next runner's.
      await executeUnder([lock], [{ type: 'set', path, data }]).catch(() => undefined);
      if (!lock.grant.loss) call.sees(toLastRun(ended));
    }
  }

  /**
   * How long this process had known the record when it asked for the lock.
   *
   * @param askedAt by the clock of this process
   */
  #knownMs(path: string, { guid }: RunRecord, askedAt: number): number {
    let seen = this.#seen.get(path);
    if (seen?.guid !== guid) this.#seen.set(path, (seen = { guid, at: performance.now() }));
    return Math.max(askedAt - seen.at, 0);
  }

  /**
   * @param version the version of the current record; undefined if there is no record
   * @throws {LockTransactionUnknownError} if it is not known whether the record was written
   */
  async #write({ lock, grant, path }: Turn, record: RunRecord, version?: number): Promise<void> {
    const data = Buffer.from(JSON.stringify(record));
    if (version !== undefined) {
      await executeUnder([lock], [{ type: 'set', path, data, version }]);
      return;
    }
    const { session, directories } = this.locks.context;
    const { lease } = grant;
    await retryUntilAnswered(session, lease, () => directories.create(lease, this.root, this.root));
    await executeUnder([lock], [{ type: 'create', path, data, mode: 'persistent' }]);
  }
}

/** The pattern of a job is its key, which is a fixed string. */
const patternOf = (key: string): string => key.slice(0, MAX_LABEL_LENGTH);

/** @param lock undefined if it was not granted */
function resultOf(error: unknown, lock: HeldLock | undefined): JobResult {
  if (!lock) return error instanceof LockTimeoutError ? 'busy' : 'failed';
  return lock.signal.aborted ? 'lost' : 'failed';
}

/** Whether another process has written since the record was read. */
function isOutrun(error: unknown): boolean {
  if (!(error instanceof OperationRefusedError)) return false;
  const { badVersion, nodeExists, noNode } = ReturnCode;
  return [badVersion, nodeExists, noNode].some((code) => code === error.returnCode);
}
