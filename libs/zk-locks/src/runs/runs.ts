import { randomUUID } from 'node:crypto';
import {
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
import { runGuarded, type Work } from '../grant/async-scope.js';
import { HeldLock } from '../grant/grant.js';
import { executeUnder } from '../grant/transact.js';
import type { Inspector } from '../inspection/inspector.js';
import { directoryOf } from '../lock/key-path.js';
import { LockLostError, LockTransactionUnknownError } from '../lock/lock-errors.js';
import type { AcquireOptions, Lock } from '../lock/lock.js';
import { ownHolder } from '../nodes/holder-data.js';
import type { NodeGrant } from '../grant/node-grant.js';
import type { ReadWriteLocks } from '../read-write/read-write-locks.js';
import {
  type Known,
  parseRunRecord,
  type RunOutcome,
  type RunRecord,
  dueAfter,
} from './run-record.js';

/** The latest run of a job. */
export interface LastRun {
  readonly host: string;
  readonly pid: number;
  /** The module's `application`. */
  readonly application: string | undefined;
  /** When its process asked for the lock, by the clock of ZooKeeper's leader. */
  readonly since: Date;
  /** When it ended; undefined while it runs, and if its process died. */
  readonly until: Date | undefined;
  readonly outcome: RunOutcome;
}

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

  /** @param root of the records */
  constructor(
    private readonly root: string,
    private readonly locks: ReadWriteLocks,
    private readonly inspector: Inspector,
  ) {}

  async run<T>(
    key: string,
    everyMs: number,
    options: RunOptions,
    fn: Work<Lock, T>,
  ): Promise<RunResult<T>> {
    const { locks } = this;
    const path = directoryOf(this.root, key);
    const request = locks.request(key, { ...options, reentrant: false });
    const askedAt = performance.now();
    const grant = await locks.take(request);
    const lock = new HeldLock(key, 'write', grant, request.release);
    let last: LastRun | undefined;
    const result = await runGuarded(lock, async () => {
      const begin = this.#begin(lock, grant, path, everyMs, askedAt);
      const begun = await begin.catch((error: unknown) => {
        if (error instanceof SessionOverError) lock.throwIfLost();
        throw error;
      });
      if (!begun.isDue) {
        last = toLastRun(begun.record);
        return undefined as T;
      }
      const work = (): T | PromiseLike<T> => locks.runWithin(lock, lock, () => fn(lock));
      return this.#perform(lock, path, begun.record, askedAt, work);
    });
    return last ? { ran: false, last } : { ran: true, result };
  }

  async last(key: string): Promise<LastRun | undefined> {
    const path = directoryOf(this.root, key);
    const { session } = this.locks.context;
    const content = await this.inspector.ask(path, (lease) => readShort(session, lease, path));
    const record = content && parseRunRecord(content.data);
    return record && toLastRun(record);
  }

  /** Writes that a run begins, where one is due. */
  async #begin(
    lock: HeldLock,
    grant: NodeGrant,
    path: string,
    everyMs: number,
    askedAt: number,
  ): Promise<Begun> {
    const { application } = this.locks.context;
    const { host, pid } = ownHolder(application, undefined);
    const stat = await this.#ownStat(lock, grant);
    const now = { askedAt: stat.ctime.getTime(), epoch: Number(stat.czxid >> 32n) };
    const own: RunRecord = {
      ...{ guid: randomUUID(), host, pid, application },
      ...now,
      outcome: 'running',
    };
    const begin = async (): Promise<Begun> => {
      const { record: last, version } = await this.#find(grant, path);
      if (last?.guid === own.guid) return { isDue: true, record: own };
      const due = last
        ? dueAfter(last, now, everyMs, this.#known(path, last, askedAt))
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
    askedAt: number,
    work: () => T | PromiseLike<T>,
  ): Promise<T> {
    let outcome: RunOutcome = 'failed';
    try {
      const result = await work();
      outcome = 'done';
      return result;
    } finally {
      const tookMs = Math.round(performance.now() - askedAt);
      const data = Buffer.from(JSON.stringify({ ...record, tookMs, outcome }));
      // The run still counts. After a loss the next runner has a record of its own.
      await executeUnder([lock], [{ type: 'set', path, data }]).catch(() => undefined);
    }
  }

  /** @param askedAt when the lock was asked for, by the clock of this process */
  #known(path: string, { guid }: RunRecord, askedAt: number): Known {
    const now = performance.now();
    let seen = this.#seen.get(path);
    if (seen?.guid !== guid) this.#seen.set(path, (seen = { guid, at: now }));
    return { forMs: now - seen.at, beforeAskedMs: Math.max(askedAt - seen.at, 0) };
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

/** Whether another process has written since the record was read. */
function isOutrun(error: unknown): boolean {
  if (!(error instanceof OperationRefusedError)) return false;
  const { badVersion, nodeExists, noNode } = ReturnCode;
  return [badVersion, nodeExists, noNode].some((code) => code === error.returnCode);
}

export function toLastRun({
  host,
  pid,
  application,
  askedAt,
  tookMs,
  outcome,
}: RunRecord): LastRun {
  const until = tookMs === undefined ? undefined : new Date(askedAt + tookMs);
  return { host, pid, application, since: new Date(askedAt), until, outcome };
}
