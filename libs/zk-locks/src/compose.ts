import type { ZkLockLogger } from './logger.js';
import { Session } from './session/session.js';
import { Cohorts } from './cohort/cohorts.js';
import { Elections } from './election/elections.js';
import type { LeaderElection } from './election/leader-election.js';
import { Occupancy, type OnLost } from './holding/occupancy.js';
import { HolderLook } from './inspection/holder-look.js';
import { Inspector } from './inspection/inspector.js';
import { refuseHoles } from './key-holes.js';
import { directoryOf } from './key-path.js';
import type { AcquireOptions } from './lock.js';
import type { ResolvedLocksOptions } from './options/locks-options.js';
import { CallObserver } from './observation/call-observer.js';
import { logLoss } from './observation/log-loss.js';
import { observeSession } from './observation/observe-session.js';
import { dialectOf } from './queue/dialect.js';
import { Directories } from './queue/directories.js';
import { DirectoryLists } from './queue/directory-lists.js';
import { KeyQueues } from './queue/key-queues.js';
import { NodeReaper } from './queue/node-reaper.js';
import { ReadWriteLocks } from './read-write/read-write-locks.js';
import { ManagedSemaphore } from './semaphore/managed-semaphore.js';
import { readSemaphoreOptions, resolvePermitCount } from './options/semaphore-options.js';
import type { Semaphore, SemaphoreOptions } from './semaphore/semaphore.js';

/** What `Locks` are made of. */
export interface Parts {
  readonly session: Session;
  readonly reaper: NodeReaper;
  readonly occupancy: Occupancy;
  readonly locks: ReadWriteLocks;
  readonly inspector: Inspector;
  readonly elections: Elections;
  readonly semaphore: (key: string, options: SemaphoreOptions) => Semaphore;
  readonly connectTimeoutMs: number;
  /** Tells whoever listens how the session fares. Idempotent. */
  readonly observe: () => void;
}

/** Makes the parts and joins them. Starts nothing. */
export function compose(
  options: ResolvedLocksOptions,
  logger: ZkLockLogger,
  connection: string,
  Election: typeof LeaderElection,
): Parts {
  for (const line of options.exposures) logger.warn(line);
  const onLost: OnLost = (loss) => logLoss(logger, loss);
  const occupancy = new Occupancy(onLost, options.maxWaiting);
  const isInUse = (): boolean => occupancy.isInUse;
  const session = new Session({ ...options, isInUse }, logger);
  const queues = new KeyQueues(session);
  const isHolding = (): boolean => occupancy.counts.held > 0;
  const { root, connectTimeoutMs, lateCreateTimeoutMs } = options;
  const reaper = new NodeReaper(session, logger, queues, isHolding, lateCreateTimeoutMs);
  const { chroot } = options.connectString;
  const context = {
    ...options,
    session,
    lists: new DirectoryLists(session),
    reaper,
    queues,
    directories: new Directories({ session, root, chroot, logger }),
    dialect: dialectOf(options.dialect),
    occupancy,
    observer: new CallObserver(connection, () => occupancy.counts),
  };
  const { cohort: limits } = options;
  const cohorts = limits && new Cohorts({ ...context, limits });
  const sightOf = cohorts && ((directory: string) => cohorts.sightOf(directory));
  const { closing } = occupancy;
  const holdersHere = cohorts && ((directory: string) => cohorts.holdersOf(directory));
  const holderLook = new HolderLook({ ...context, holdersHere, closing });
  const locks = new ReadWriteLocks({ ...context, cohorts, holderLook });
  const inspector = new Inspector({
    ...context,
    root,
    sightOf,
    timeoutMs: connectTimeoutMs,
    closing,
  });
  const semaphore = (key: string, given: SemaphoreOptions): Semaphore => {
    const { pattern, ...permits } = readSemaphoreOptions(given);
    const count = resolvePermitCount(permits, chroot, root);
    const place = { key, directory: directoryOf(root, key), pattern };
    refuseHoles(place);
    return new ManagedSemaphore(place, count, { ...context, inspector, holderLook });
  };
  const elections = new Elections((key, given) => {
    const alone = { ...given, timeoutMs: Infinity, reentrant: false } as AcquireOptions;
    const request = { ...locks.request(key, alone), kind: 'election' } as const;
    return {
      owner: locks,
      directory: request.directory,
      sessionTimeoutMs: options.sessionTimeoutMs,
      logger,
      take: (signal, onLockLost) => locks.take({ ...request, signal }, onLockLost),
      onLost,
      inspect: (inspection) => inspector.inspect(key, inspection),
    };
  }, Election);
  let isObserved = false;
  const observe = (): void => {
    if (!isObserved) observeSession(connection, session, () => occupancy.counts);
    isObserved = true;
  };
  const made = { session, reaper, occupancy, locks, inspector, elections, semaphore };
  return { ...made, connectTimeoutMs, observe };
}
