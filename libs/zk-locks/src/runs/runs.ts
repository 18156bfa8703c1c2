import { randomUUID } from 'node:crypto';
import {
  checkValue,
  MAX_LABEL_LENGTH,
  type NodeContent,
  type NodeStat,
  type Operation,
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
import { OPTIONS } from '../options/table.js';
import { newWait } from '../queue/wait.js';
import type { LockRequest, ReadWriteLocks } from '../read-write/read-write-locks.js';
import type { JobResult } from '../telemetry/events.js';
import type { JobCall, Jobs } from './jobs.js';
import { parseRunRecord, type RunRecord, dueAfter, toLastRun } from './run-record.js';

/** The result of `runAtMostEvery`: that of the job, or the run because of which it was not due. */
export type RunResult<T> =
  { readonly ran: true; readonly result: T } | { readonly ran: false; readonly last: LastRun };

export type RunOptions = Pick<AcquireOptions, 'timeoutMs' | 'label' | 'pattern' | 'signal'>;

/** A record as it was read, for a holder who may replace it. */
interface Found {
  readonly record: RunRecord | undefined;
  /** Undefined where there is no record. */
  readonly version: number | undefined;
}

/** A call of a job, before it has the lock. */
interface Asked {
  readonly everyMs: number;
  /** By the clock of this process. */
  readonly askedAt: number;
  readonly call: JobCall;
}

/** A call that goes by what another one of its job sees. */
interface Follower extends Pick<JobCall, 'seen'> {
  /** Tells it that; undefined if it has to ask itself. */
  readonly tell: (last: LastRun | undefined) => void;
}

/** The record as it is now, by a run that may begin or by another one. */
interface Begun {
  readonly isDue: boolean;
  readonly record: RunRecord;
}

/**
 * Jobs that run once in a time over all processes. A record beside the lock says when the latest run
 * began, by ZooKeeper's clock: it is written in the transaction that checks the runner's lock node, and
 * stays when the runner dies.
 */
export class Runs {
  /** The latest record that was seen of each job, and when that was. */
  readonly #seen = new Map<string, { readonly guid: string; readonly at: number }>();

  /** Those behind a call that waits for a connection, by their times and the directories of their keys. */
  readonly #followers = new Map<string, Set<Follower>>();

  /** @param root of the records */
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
    const asked = locks.request(key, { ...options, reentrant: false });
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
      const result = await this.#runUnder(lock, grant, { everyMs, askedAt, call }, fn);
      call.end(result.ran ? 'ran' : 'not_due');
      return result;
    } catch (error) {
      call.end(resultOf(error, lock), error);
      throw error;
    }
  }

  /**
   * While ZooKeeper cannot be reached, one call of a job waits for it. The others of this process go by what
   * that one sees: they would ask one after the other, and none of them would be due. With another time, a
   * call may be.
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
    using wait = newWait(request, context);
    // Once ZooKeeper is back, the lock may be busy.
    wait.blocked();
    let follower!: Follower;
    const told = new Promise<LastRun | undefined>((tell) => (follower = { seen, tell }));
    followers.add(follower);
    try {
      return await wait.for(told);
    } finally {
      followers.delete(follower);
    }
  }

  /** Tells all of them what a call sees. If it ends without, only the first of them is told: it asks next. */
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

  async #runUnder<T>(
    lock: HeldLock,
    grant: NodeGrant,
    asked: Asked,
    fn: Work<Lock, T>,
  ): Promise<RunResult<T>> {
    const path = directoryOf(this.root, lock.key);
    let last: LastRun | undefined;
    const result = await runGuarded(lock, async () => {
      const begin = this.#begin(lock, grant, path, asked);
      const begun = await begin.catch((error: unknown) => {
        if (error instanceof SessionOverError) lock.throwIfLost();
        throw error;
      });
      const run = toLastRun(begun.record);
      asked.call.sees(run);
      if (!begun.isDue) {
        last = run;
        return undefined as T;
      }
      const work = (): T | PromiseLike<T> => this.locks.runWithin(lock, lock, () => fn(lock));
      return this.#perform(lock, path, begun.record, asked, work);
    });
    return last ? { ran: false, last } : { ran: true, result };
  }

  expect(key: string, everyMs: number): void {
    this.jobs.expect(key, patternOf(key), everyMs);
  }

  async last(key: string): Promise<LastRun | undefined> {
    const path = directoryOf(this.root, key);
    const { session } = this.locks.context;
    const content = await this.inspector.ask(path, (lease) => readShort(session, lease, path));
    const record = content && parseRunRecord(content.data);
    const run = record && toLastRun(record);
    if (run) this.jobs.note(key, patternOf(key), run);
    return run;
  }

  /** Writes that a run begins, where one is due. */
  async #begin(
    lock: HeldLock,
    grant: NodeGrant,
    path: string,
    { everyMs, askedAt }: Asked,
  ): Promise<Begun> {
    const { application } = this.locks.context;
    const { host, pid } = ownHolder(application, undefined);
    const stat = await this.#ownStat(lock, grant);
    const now = { askedAt: stat.ctime.getTime(), epoch: Number(stat.czxid >> 32n) };
    const own: RunRecord = {
      ...{ guid: randomUUID(), host, pid, application },
      ...now,
      ...{ outcome: 'running', everyMs },
    };
    const begin = async (): Promise<Begun> => {
      const { record: last, version } = await this.#find(grant, path);
      if (last?.guid === own.guid) return { isDue: true, record: own };
      const due = last
        ? dueAfter(last, now, everyMs, this.#knownMs(path, last, askedAt))
        : ({ isDue: true } as const);
      if (last && !due.isDue && due.moveTo === undefined) {
        return { isDue: false, record: last };
      }
      const next = due.isDue
        ? own
        : { ...(last ?? own), ...now, askedAt: due.moveTo ?? now.askedAt };
      await this.#write(lock, path, next, version);
      if (due.isDue) this.#seen.set(path, { guid: own.guid, at: performance.now() });
      return { isDue: due.isDue, record: next };
    };
    // An earlier one of ours may have been executed late, or an operator has written there.
    return tryAgain(
      begin,
      (error) => error instanceof LockTransactionUnknownError || isOutrun(error),
    );
  }

  /** @throws {LockLostError} if its node is gone, of which it has not heard yet */
  async #ownStat(lock: HeldLock, grant: NodeGrant): Promise<NodeStat> {
    const { session } = this.locks.context;
    const stat = await this.#ask(grant, () => session.exists(grant.lease, grant.path));
    if (stat) return stat;
    lock.grant.nodes.lose('node-deleted');
    lock.throwIfLost();
    throw new LockLostError(lock.key, lock.mode, 'node-deleted');
  }

  /** Runs it, and says in the record how it went, as far as that is possible. */
  async #perform<T>(
    lock: HeldLock,
    path: string,
    record: RunRecord,
    { askedAt, call }: Asked,
    work: () => T | PromiseLike<T>,
  ): Promise<T> {
    let outcome: RunOutcome = 'failed';
    try {
      const result = await work();
      if (!lock.grant.loss) outcome = 'done';
      return result;
    } finally {
      const tookMs = Math.round(performance.now() - askedAt);
      const ended: RunRecord = { ...record, tookMs, outcome };
      call.sees(toLastRun(ended));
      const data = Buffer.from(JSON.stringify(ended));
      // The run still counts. After a loss the next runner has a record of its own.
      await executeUnder([lock], [{ type: 'set', path, data }]).catch(() => undefined);
    }
  }

  /**
   * For how long this process had known the record when it asked for the lock.
   *
   * @param askedAt by the clock of this process
   */
  #knownMs(path: string, { guid }: RunRecord, askedAt: number): number {
    let seen = this.#seen.get(path);
    if (seen?.guid !== guid) this.#seen.set(path, (seen = { guid, at: performance.now() }));
    return Math.max(askedAt - seen.at, 0);
  }

  async #find(grant: NodeGrant, path: string): Promise<Found> {
    const { session } = this.locks.context;
    const content = await this.#ask<NodeContent | undefined>(grant, () =>
      readShort(session, grant.lease, path),
    );
    return { record: content && parseRunRecord(content.data), version: content?.stat.version };
  }

  /** @throws {LockTransactionUnknownError} where the record may or may not have been written */
  async #write(
    lock: HeldLock,
    path: string,
    record: RunRecord,
    version: number | undefined,
  ): Promise<void> {
    const data = Buffer.from(JSON.stringify(record));
    const operation: Operation =
      version === undefined
        ? { type: 'create', path, data, mode: 'persistent' }
        : { type: 'set', path, data, version };
    if (version === undefined) await this.#makeRoot(lock);
    await executeUnder([lock], [operation]);
  }

  async #makeRoot({ grant }: HeldLock): Promise<void> {
    const { directories } = this.locks.context;
    const { lease } = grant.nodes;
    const make = (): Promise<void> => directories.create(lease, this.root, this.root);
    await retryUntilAnswered(this.locks.context.session, lease, make);
  }

  #ask<T>({ lease }: NodeGrant, question: () => Promise<T>): Promise<T> {
    return retryUntilAnswered(this.locks.context.session, lease, question);
  }
}

/** The key of a job is a fixed text. */
const patternOf = (key: string): string => key.slice(0, MAX_LABEL_LENGTH);

/** @param lock undefined where it was not granted */
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
