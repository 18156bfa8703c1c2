import {
  NodeRemover,
  Session,
  untilConnected,
  UserPaths,
  type ZkClient,
  ZkClosedError,
  type ZkLockLogger,
  Znodes,
} from 'zk-client/recipes';
import { Cohorts } from '../cohort/cohorts.js';
import { Elections } from '../election/elections.js';
import type { LeaderElection } from '../election/leader-election.js';
import { ActiveLocks, type OnLost, withinMs } from '../grant/active-locks.js';
import type { LocksContext } from '../grant/locks-context.js';
import { NestingOrders } from '../grant/nesting-orders.js';
import { type Broken, tellBroken } from '../inspection/break.js';
import type { CohortSight } from '../inspection/inspection.js';
import { HolderReport } from '../inspection/holder-report.js';
import { Inspector } from '../inspection/inspector.js';
import { refuseHoles, directoryOf } from '../lock/key-path.js';
import type { ResolvedLocksOptions } from '../options/locks-options.js';
import { fullQueueLog } from '../observation/full-queue-log.js';
import { lossLog, observeSession, tellOutages } from '../observation/observe-session.js';
import { dialectOf } from '../nodes/dialect.js';
import { Directories } from '../queue/directories.js';
import { FailFast } from '../queue/fail-fast.js';
import { KeyQueues } from '../queue/key-queues.js';
import { ReadWriteLocks, takeLock } from '../read-write/read-write-locks.js';
import { Jobs } from '../runs/jobs.js';
import { Runs } from '../runs/runs.js';
import { ManagedSemaphore } from '../semaphore/managed-semaphore.js';
import { readSemaphoreOptions, resolvePermitCount } from '../options/call-options.js';
import type { JobReport } from '../telemetry/events.js';
import { singleNodeLocks } from '../single-node/single-node-locks.js';
import type { Semaphore } from '../semaphore/semaphore.js';
import type { SemaphoreOptions } from '../options/permit-options.js';

/** The parts that `Locks` is made of. */
export interface Parts {
  readonly session: Session;
  readonly client: ZkClient;
  readonly znodes: Znodes;
  readonly remover: NodeRemover;
  readonly activeLocks: ActiveLocks;
  readonly locks: ReadWriteLocks;
  readonly inspector: Inspector;
  readonly elections: Elections;
  readonly runs: Runs;
  readonly semaphore: (key: string, options: SemaphoreOptions) => Semaphore;
  readonly connectTimeoutMs: number;
  /** Starts publishing the session's states. */
  readonly observe: () => void;
}

/** The classes of the objects that users get; a framework can replace them by its own. */
export interface Classes {
  readonly Election: typeof LeaderElection;
  readonly Client: typeof ZkClient;
  /** Receives a function that shows what this process itself does, without asking a server. */
  readonly onOwnSight?: (ownSight: OwnSight) => void;
}

/** What this process alone knows about a key. */
export type OwnSight = (key: string) => {
  readonly cohort: CohortSight | undefined;
  readonly election: LeaderElection | undefined;
  /** Where this process knows the key's job. */
  readonly job: JobReport | undefined;
  /** Says that this process is to call the key's job. */
  readonly expectJob: (everyMs: number) => void;
};

/** Creates the parts and connects them to each other. Starts nothing. */
export function compose(
  options: ResolvedLocksOptions,
  logger: ZkLockLogger,
  connection: string,
  { Election, Client, onOwnSight }: Classes,
): Parts {
  for (const line of options.exposures) logger.warn(line);
  const onLost: OnLost = lossLog(logger);
  const onFull = fullQueueLog(logger);
  const isInUse = (): boolean =>
    activeLocks.isInUse || cohorts?.isKeeping === true || znodes.ephemerals.areThere;
  const session = new Session({ ...options, isInUse }, logger);
  const { sessionTimeoutMs, maxWaiting, failFastAfterMs } = options;
  const failFast = failFastAfterMs ? new FailFast(session, failFastAfterMs) : undefined;
  const activeLocks = new ActiveLocks(
    { connection, session, sessionTimeoutMs, onLost, onFull, maxWaiting },
    failFast,
  );
  const queues = new KeyQueues(session);
  const isHolding = (): boolean => activeLocks.counts.held > 0 || znodes.ephemerals.areThere;
  const { root, application, connectTimeoutMs, lateCreateTimeoutMs, cohort: limits } = options;
  const { acquireTimeoutMs, release } = options;
  const { chroot } = options.connectString;
  const remover = new NodeRemover(session, logger, queues, isHolding, lateCreateTimeoutMs);
  const userPaths = new UserPaths(chroot, root);
  const znodes = new Znodes(session, userPaths, connectTimeoutMs);
  // Without the credentials: grants keep this context, and a logger may print a grant.
  const context: LocksContext = {
    ...{ root, application, acquireTimeoutMs, release, sessionTimeoutMs, connectTimeoutMs },
    keepsLocks: limits !== undefined && limits.keepMs > 0,
    session,
    remover,
    queues,
    directories: new Directories(session, logger, chroot),
    dialect: dialectOf(options.dialect),
    activeLocks,
    nestingOrders: options.warnNesting ? new NestingOrders((line) => logger.warn(line)) : undefined,
    userPaths,
  };
  const cohorts = limits && new Cohorts(context, limits);
  const sightOf = cohorts && ((directory: string) => cohorts.sightOf(directory));
  const holderReport = new HolderReport(context, cohorts?.holdersOf.bind(cohorts));
  const isSingle = options.dialect === 'single-node';
  const take = isSingle ? singleNodeLocks() : takeLock;
  const locks = new ReadWriteLocks(context, holderReport, cohorts, take);
  const onBroken = (broken: Broken): void => tellBroken(logger, connection, broken);
  const inspector = new Inspector(context, sightOf, onBroken);
  const jobs = new Jobs(connection);
  const semaphore = (key: string, given: SemaphoreOptions): Semaphore => {
    const { pattern, permits } = readSemaphoreOptions(given);
    const count = resolvePermitCount(permits, chroot, root);
    const named = { key, directory: directoryOf(root, key), pattern, count };
    refuseHoles(named);
    return new ManagedSemaphore(named, context, inspector, holderReport);
  };
  const { marginMs } = options;
  const isConnected = (): boolean => session.connectedLease !== undefined;
  const settings = { sessionTimeoutMs, marginMs, logger, onLost, isConnected };
  const elections = new Elections(locks, inspector, settings, Election);
  const runs = new Runs(`${root}-runs`, locks, inspector, jobs);
  onOwnSight?.((key) => ({
    cohort: sightOf?.(directoryOf(root, key)),
    election: elections.find(key),
    job: jobs.find(key),
    expectJob: (everyMs) => runs.expect(key, everyMs),
  }));
  const observe = (): void => {
    observeSession(connection, session, () => ({ ...activeLocks.counts, jobs: jobs.all() }));
    tellOutages(logger, session, () => activeLocks.refused);
    failFast?.start();
  };
  const client = new Client(znodes);
  return {
    ...{ session, client, znodes, runs, remover, activeLocks, locks },
    ...{ inspector, elections, semaphore, connectTimeoutMs, observe },
  };
}

/** How long closing waits for the last deletions and for the session to end, in ms. */
const FAREWELL_MS = 1_000;

const REMEDY =
  ' To start without them, set `lazy: true` (in Nest) or call `start({ wait: false })`.';

/** Starts connecting; closes everything if that fails. */
export async function startAll(
  parts: Parts,
  wait: boolean,
  close: () => Promise<void>,
): Promise<void> {
  const { session, activeLocks, connectTimeoutMs, observe } = parts;
  if (activeLocks.isClosing()) throw new ZkClosedError();
  try {
    const isFirst = !session.isStarted;
    session.start();
    if (isFirst) observe();
    if (wait) await untilConnected(session, connectTimeoutMs, REMEDY, activeLocks.closing);
  } catch (error) {
    await close();
    throw error;
  }
}

export async function closeAll(parts: Parts, graceMs: number): Promise<void> {
  const { session, znodes, remover, activeLocks, elections } = parts;
  void elections.end();
  // Holders may finish their writes.
  await activeLocks.close(graceMs);
  znodes.close();
  await withinMs(FAREWELL_MS, remover.whenIdle());
  remover.stop();
  await session.close({ timeoutMs: FAREWELL_MS });
}
